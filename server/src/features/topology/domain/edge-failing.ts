import type { RaisedSignal } from '@svc/contracts/incidents/signal';

/** Calls of one edge: over the newest five minutes, and what was usual before. */
export interface EdgeRatios {
  source: string;
  target: string;
  kind: 'call' | 'message' | 'database' | 'queue' | 'host';
  calls: number;
  errors: number;
  /** Over the newest 15 minutes. */
  lately: number;
  /** The highest share of errors of any five minutes with enough calls in the 24 hours before; 0 without any. */
  usual: number;
}

/** Share of calls that may fail whatever is usual. */
const TOLERATED = 0.05;
/** Fewer calls or errors in five minutes say nothing. */
const MIN_CALLS = 20;
const MIN_ERRORS = 3;
const MINUTE_MS = 60_000;
export const WINDOW_MINUTES = 5;

/** Whether an edge fails now. One that did, and is hardly called any more, is still said to for a quarter of an hour. */
export function isFailing({ calls, errors, lately, usual }: EdgeRatios, didFail: boolean): boolean {
  if (calls < MIN_CALLS) return didFail && lately > 0;
  const ratio = errors / calls;
  return errors >= MIN_ERRORS && ratio > TOLERATED && ratio > usual;
}

const percent = (ratio: number): string => `${ratio < 0.1 ? Math.round(ratio * 1000) / 10 : Math.round(ratio * 100)} %`;

interface Told {
  /** What the called service is asked for as. */
  names: readonly string[];
  key: string;
  /** The minute that the window ends before. */
  end: number;
}

export function toSignal(edge: EdgeRatios, { names, key, end }: Told): RaisedSignal {
  const { source, target, kind, calls, errors, usual } = edge;
  const ratio = calls === 0 ? 0 : errors / calls;
  const isService = kind === 'call' || kind === 'message';
  const title =
    calls === 0 ? `Calls from ${source} to ${target} failed` : `${percent(ratio)} of calls from ${source} to ${target} fail`;
  return {
    ...{ plane: 'otlp', kind: 'otlp.edge_failing', severity: ratio >= 0.5 ? 'critical' : 'warning', title: title.slice(0, 200) },
    summary: `${errors} of ${calls} calls failed in five minutes. At most ${percent(usual)} did in any five minutes of the 24 hours before.`,
    target: target.slice(0, 2048),
    attributes: {
      ...{ 'edge.source': source.slice(0, 1024), 'edge.target': target.slice(0, 1024), 'edge.kind': kind },
      ...(isService ? { 'service.name': target.slice(0, 1024) } : {}),
      ...(names.length > 0 ? { 'server.address': names.join(',').slice(0, 1024) } : {}),
    },
    occurred_at: new Date((end - WINDOW_MINUTES) * MINUTE_MS).toISOString(),
    dedup_key: key,
  };
}
