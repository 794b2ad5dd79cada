import type { EndpointType } from './canonical-result.ts';

/** One numeric key of an endpoint result: its unit, its series in the time-series database and its name on OTLP export. */
export interface MetricKey {
  type: EndpointType;
  /** Key in `metrics`; `<n>` stands for a hop's number (1..64), `<layer>` for a layer. */
  key: string;
  /** UCUM unit. */
  unit: string;
  series: string;
  exportName: string;
  /** The label that the variable part becomes. */
  label?: 'hop' | 'segment' | 'layer';
}

const LABEL_OF_HOLE = { n: 'hop', segment: 'segment', layer: 'layer' } as const;

const row = (type: EndpointType, key: string, unit: string): MetricKey => {
  const area = type.slice('endpoint.'.length);
  // The variable part and the word before it go into the label: hop.<n>.rtt.avg.ms -> hop_rtt_avg_ms{hop="n"}.
  const flat = key.replace(/\.<\w+>/, '').replaceAll('.', '_');
  const hole = /<(\w+)>/.exec(key)?.[1] as keyof typeof LABEL_OF_HOLE | undefined;
  const base = { type, key, unit, series: `svc_endpoint_${area}_${flat}`, exportName: `svc.endpoint.${area}.${flat}` };
  return hole ? { ...base, label: LABEL_OF_HOLE[hole] } : base;
};

/** The one table of numeric keys (docs/contract/results.md). Ratios are 0 to 1, scores 0 to 100 with high good. */
export const METRIC_KEYS: readonly MetricKey[] = [
  row('endpoint.wifi', 'rssi.dbm', 'dBm'),
  row('endpoint.wifi', 'signal.percent', '%'),
  row('endpoint.wifi', 'noise.dbm', 'dBm'),
  row('endpoint.wifi', 'snr.db', 'dB'),
  row('endpoint.wifi', 'link.rate.mbps', 'Mbit/s'),
  row('endpoint.wifi', 'channel', '1'),
  row('endpoint.wifi', 'frequency.mhz', 'MHz'),
  row('endpoint.wifi', 'retry.ratio', '1'),
  row('endpoint.wifi', 'failed.ratio', '1'),
  row('endpoint.wifi', 'beacons.lost', '{beacon}'),
  row('endpoint.wifi', 'channel.busy.ratio', '1'),
  row('endpoint.wifi', 'channel.transmit.ratio', '1'),
  row('endpoint.wifi', 'rsrp.dbm', 'dBm'),
  row('endpoint.wifi', 'rsrq.db', 'dB'),
  row('endpoint.wifi', 'sinr.db', 'dB'),
  row('endpoint.gateway', 'rtt.avg.ms', 'ms'),
  row('endpoint.gateway', 'rtt.min.ms', 'ms'),
  row('endpoint.gateway', 'rtt.max.ms', 'ms'),
  row('endpoint.gateway', 'packet.loss.ratio', '1'),
  row('endpoint.gateway', 'packets.sent', '{packet}'),
  row('endpoint.gateway', 'packets.lost', '{packet}'),
  row('endpoint.lastmile', 'hop.<n>.rtt.avg.ms', 'ms'),
  row('endpoint.lastmile', 'hop.<n>.packet.loss.ratio', '1'),
  row('endpoint.lastmile', 'segment.<segment>.rtt.avg.ms', 'ms'),
  row('endpoint.lastmile', 'segment.<segment>.packet.loss.ratio', '1'),
  row('endpoint.lastmile', 'hops', '{hop}'),
  row('endpoint.lastmile', 'packets.sent', '{packet}'),
  row('endpoint.session', 'dns.ms', 'ms'),
  row('endpoint.session', 'connect.ms', 'ms'),
  row('endpoint.session', 'tls.ms', 'ms'),
  row('endpoint.session', 'ttfb.ms', 'ms'),
  row('endpoint.session', 'total.ms', 'ms'),
  row('endpoint.session', 'redirects', '{redirect}'),
  row('endpoint.session', 'bytes', 'By'),
  row('endpoint.attribution', 'confidence', '1'),
  row('endpoint.attribution', 'score.<layer>', '1'),
  row('endpoint.resolver', 'rtt.avg.ms', 'ms'),
  row('endpoint.resolver', 'packet.loss.ratio', '1'),
  row('endpoint.agent', 'cpu.ratio', '1'),
  row('endpoint.agent', 'memory.rss.bytes', 'By'),
  row('endpoint.agent', 'sent.bytes', 'By'),
  row('endpoint.agent', 'spool.results', '{result}'),
  row('endpoint.agent', 'spool.dropped', '{result}'),
];

/** Three bands of a path (docs/contract/results.md). */
export const SEGMENTS = ['local', 'isp-edge', 'beyond'] as const;
export type Segment = (typeof SEGMENTS)[number];

/**
 * Attribute keys of endpoint results.
 * A field absent while its result is present has `unavailable.<metric or attribute key>` with a code of UNAVAILABLE_CODES.
 * Hops: `hop.<n>.segment` (local | isp-edge | beyond), `hop.<n>.address` (private ones only, unless public hops are collected;
 * else `unavailable.hop.<n>.address` = withheld); a hop without either is silent.
 */
export const ATTRIBUTES = {
  ssid: 'network.wifi.ssid',
  band: 'network.wifi.band',
  interface: 'network.interface.name',
  connectionType: 'network.connection.type',
  gatewayAddress: 'network.gateway.address',
  gatewayMethod: 'network.gateway.method',
  gatewayReachable: 'network.gateway.reachable',
  resolverAddress: 'dns.server.address',
  urlFull: 'url.full',
  statusCode: 'http.response.status_code',
  family: 'network.type',
  sessionRole: 'svc.session.role',
  errorPhase: 'error.phase',
  traceProtocol: 'network.trace.protocol',
  traceReached: 'network.trace.reached',
  cause: 'endpoint.cause',
  /** What is wrong within the cause: one of FAULT_KINDS, absent where nothing is. */
  fault: 'endpoint.fault',
  /** One sentence for readers of any zone; its clock times are UTC and say so. */
  summary: 'endpoint.summary',
  /** When the present cause began, an instant of the device's clock. */
  since: 'endpoint.since',
  /** What a verdict was made from: measures with limits and counts, the fault with its figures, what was looked at (judged/codec). */
  judged: 'endpoint.judged',
  tunnel: 'network.tunnel',
  roaming: 'network.wifi.roams',
  simulated: 'svc.simulated',
  /**
   * What the system says around a measurement, `true` or `false`: all of it with `endpoint.agent`, what is true with sessions and
   * verdicts as well. `resumed` marks the first cycle after a sleep, in every result.
   */
  onBattery: 'svc.context.on_battery',
  metered: 'svc.context.metered',
  vpn: 'svc.context.vpn',
  captivePortal: 'svc.context.captive_portal',
  resumed: 'svc.context.resumed',
} as const;

const exact = new Map<string, MetricKey>();
const templated: { type: EndpointType; prefix: string; suffix: string; row: MetricKey }[] = [];
for (const entry of METRIC_KEYS) {
  const hole = /<\w+>/.exec(entry.key);
  if (!hole) exact.set(`${entry.type} ${entry.key}`, entry);
  else {
    const suffix = entry.key.slice(hole.index + hole[0].length);
    templated.push({ type: entry.type, prefix: entry.key.slice(0, hole.index), suffix, row: entry });
  }
}

/** The table's row of a key such as `hop.3.rtt.avg.ms`, with the label's value; undefined for a key that no table row has. */
export function findMetricKey(type: EndpointType, key: string): { row: MetricKey; labelValue?: string } | undefined {
  const plain = exact.get(`${type} ${key}`);
  if (plain) return { row: plain };
  for (const t of templated) {
    if (t.type !== type || !key.startsWith(t.prefix) || !key.endsWith(t.suffix)) continue;
    const labelValue = key.slice(t.prefix.length, key.length - t.suffix.length);
    if (labelValue !== '' && !labelValue.includes('.')) return { row: t.row, labelValue };
  }
  return undefined;
}
