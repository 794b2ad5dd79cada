import type { MapEdge, MapNode, Topology } from '../../api-types.ts';
import { formatBytes, formatCount, formatMs, formatPercent, joinWords, plural } from '../../ui/words/format.ts';
import { findMapFault } from './map-fault.ts';

/** Calls a second, or a minute where a second has none: 31/s, 4/min. */
export function formatRate(rate: number): string {
  if (rate === 0) return 'no calls';
  if (rate >= 99.5) return `${formatCount(Math.round(rate))}/s`;
  if (rate >= 0.95) return `${rate < 9.95 ? Number(rate.toFixed(1)) : Math.round(rate)}/s`;
  const minute = rate * 60;
  return minute < 0.95 ? 'under 1/min' : `${minute < 9.95 ? Number(minute.toFixed(1)) : Math.round(minute)}/min`;
}

/** What an edge carries, for its label: how often, or how much where nothing is counted. */
export function edgeWords(edge: MapEdge, seconds: number): string {
  if (edge.calls > 0) return formatRate(edge.rate);
  return seconds > 0 ? `${formatBytes(edge.bytes / seconds)}/s` : '';
}

export const KIND_WORDS: Readonly<Record<MapEdge['kind'], string>> = {
  call: 'call',
  message: 'message',
  database: 'database query',
  queue: 'message, no reader seen',
  host: 'call to a host',
  flow: 'network flow',
};

export const NODE_WORDS: Readonly<Record<MapNode['kind'], string>> = {
  service: 'service',
  database: 'database',
  queue: 'queue',
  host: 'host, not instrumented',
};

const connections = (count: number): string => (count === 1 ? 'one connection' : `${count} connections`);

/** Where it hurts: the deepest failing connection and what it takes along, else how calm it is. */
export function describeMap({ nodes, edges }: Topology): string {
  const services = nodes.filter(({ kind }) => kind === 'service').length;
  const name = (id: string): string => nodes.find((node) => node.id === id)?.name ?? id;
  const fault = findMapFault({ edges });
  if (!fault)
    return `${plural(services, 'service')}, ${plural(edges.length, 'connection')}: no connection fails more than 1% of its calls.`;
  const { edge, leading, others } = fault;
  const before = leading > 0 ? `, and with it ${connections(leading)} leading there` : '';
  const elsewhere = others > 0 ? `. Elsewhere ${connections(others)} ${others === 1 ? 'fails' : 'fail'}` : '';
  return `${name(edge.source)} to ${name(edge.target)} fails ${formatPercent(edge.error_ratio ?? 0)} of its calls${before}${elsewhere}.`;
}

type Gap = Topology['gaps'][number];

const share = ({ count, total }: Gap): string => (count !== null && total ? formatPercent(count / total) : '');

/** What the map cannot see, and why, in a sentence each. */
export function describeGap(gap: Gap): string {
  const count = formatCount(Math.round(gap.count ?? 0));
  switch (gap.code) {
    case 'no_spans':
      return 'No span arrived in this time: calls between services cannot be seen.';
    case 'no_flows':
      return 'No network flows arrived (OBI’s obi.network.flow.bytes): what is not instrumented shows only where an instrumented service calls it, and bytes are not known.';
    case 'behind':
      return `${count} ${gap.count === 1 ? 'minute is' : 'minutes are'} not computed yet: the newest calls are missing.`;
    case 'unseen_callers':
      return `${count} requests (${share(gap)}) came from a caller whose span never arrived: it is not instrumented, sampled away or sends elsewhere.`;
    case 'nameless_callees':
      return `${count} calls (${share(gap)}) do not say whom they call: no server.address or peer.service on the span, and no server span answers.`;
    case 'no_server_spans':
      return `${joinWords(gap.names)} ${gap.names.length === 1 ? 'sends' : 'send'} no server spans: who calls ${gap.names.length === 1 ? 'it' : 'them'} cannot be seen.`;
    case 'sampled':
      return `${share(gap)} of the spans say that they were sampled: rates are of what was kept.`;
    case 'thinned':
      return `So many spans came that one trace in ${count} was counted, times ${count}.`;
    case 'folded':
      return `${plural(gap.count ?? 0, 'call')} of connections beyond the busiest of a minute are shown as “other”.`;
    case 'cut':
      return `Only the ${count} busiest connections are shown.`;
  }
}

/** A row of figures for those who do not see the picture. */
export const describeEdge = (edge: MapEdge): string =>
  [
    edge.calls > 0 ? formatRate(edge.rate) : '',
    edge.error_ratio === null ? '' : `${formatPercent(edge.error_ratio)} errors`,
    edge.p95_ms === null ? '' : `p95 ${formatMs(edge.p95_ms)}`,
    edge.bytes > 0 ? formatBytes(edge.bytes) : '',
  ]
    .filter(Boolean)
    .join(', ');
