import type { DeviceView } from '@svc/contracts/endpoint/view';
import type { TenantId } from '#kernel';
import type { EndpointContext, ResultReads, StoredResult, TimeWindow } from '../context.ts';
import { fillSilences, type Silence } from '../domain/silences.ts';
import { readSilences } from '../state-changes.ts';

/** A window of one device. */
export interface WindowQuery {
  id: string;
  window: TimeWindow;
}

/** What a device measured and said in a window. */
export interface Measured {
  /** The window reaches up to now. */
  isNow: boolean;
  /** The newest of each type and target in the window; up to now also those of a clock that is ahead. */
  results: StoredResult[];
  /** Verdicts, oldest first, from before the window on where it has passed: what it begins with may be older. */
  spans: Awaited<ReturnType<ResultReads['causeSpans']>>;
  silences: Silence[];
}

/** Half of the page's least step: whoever looks at the last minutes looks at now. */
const NOW_SLACK_MS = 150_000;
/** How far before a window the beginning of its verdict is looked for. */
const LOOK_BACK_MS = 86_400_000;

/** Reads a window of one device: up to now from the newest results, which are few, else from all of the window. */
export async function readMeasured(deps: EndpointContext, tenant: TenantId, { id, window }: WindowQuery): Promise<Measured> {
  const now = deps.clock.now();
  const isNow = window.toMs >= now - NOW_SLACK_MS;
  const spansFrom = isNow ? window.fromMs : window.fromMs - LOOK_BACK_MS;
  const [results, spans, silences] = await Promise.all([
    isNow ? deps.results.latest(tenant, id) : deps.results.newestIn(tenant, { agentId: id, ...window }),
    deps.results.causeSpans(tenant, { agentId: id, fromMs: spansFrom, toMs: window.toMs }),
    readSilences(deps.relational, tenant, { agentIds: [id], ...window, toMs: Math.min(window.toMs, now) }),
  ]);
  const within = results.filter(({ startedAtMs }) => startedAtMs >= window.fromMs);
  return { isNow, results: within, spans, silences: silences.get(id) ?? [] };
}

/** The strip of the window, oldest first: verdicts, and silences where nothing was measured. */
export function listVerdicts({ spans, silences }: Measured, { fromMs }: TimeWindow): DeviceView['verdicts'] {
  const shown = spans.filter((span) => span.toMs > fromMs).map((span) => ({ ...span, fromMs: Math.max(span.fromMs, fromMs) }));
  return fillSilences(shown, silences).map((stretch) => ({
    from: new Date(stretch.fromMs).toISOString(),
    to: new Date(stretch.toMs).toISOString(),
    verdict: stretch.verdict,
  }));
}
