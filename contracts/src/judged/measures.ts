import { type Layer, MIN_LOST_PROBES } from '../verdict.ts';

/** What a layer is judged by; the order breaks ties between two that are as far beyond their limits. */
export const MEASURES = [
  'wifi_rssi_dbm',
  'wifi_signal_percent',
  'wifi_snr_db',
  'wifi_busy_ratio',
  'wifi_retry_ratio',
  'gateway_answers',
  'gateway_loss_ratio',
  'gateway_rtt_ms',
  'lan_loss_ratio',
  'lan_rtt_ms',
  'isp_loss_ratio',
  'isp_rtt_ms',
  'sessions_failed',
  'session_total_ms',
  'session_loss_ratio',
  'session_dns_ms',
  'session_connect_ms',
  'session_tls_ms',
  'session_ttfb_ms',
  'beyond_loss_ratio',
  'beyond_rtt_ms',
] as const;
export type Measure = (typeof MEASURES)[number];

interface Rule {
  layer: Layer;
  /** Evidence beside what decides: it names the kind of a fault and blames nobody by itself. */
  isEvidence?: true;
  breaks: 'at_or_below' | 'below' | 'at_or_above';
  /** How far beyond its limit a value is as bad as it gets, in its own unit: the scale on which two measures are compared. */
  span: (limit: number) => number;
}

const high = (span: number) => () => span;
/** Better low: as bad as it gets at four limits, as scores are. */
const low = (limit: number): number => 3 * limit;
/** A share of all is as bad as it gets at all of it. */
const rest = (limit: number): number => 1 - limit;

const RULES: Readonly<Record<Measure, Rule>> = {
  wifi_rssi_dbm: { layer: 'wifi', breaks: 'at_or_below', span: high(20) },
  wifi_signal_percent: { layer: 'wifi', breaks: 'at_or_below', span: high(45) },
  wifi_snr_db: { layer: 'wifi', breaks: 'below', span: high(15) },
  // Airtime that others take, and frames that had to be sent again: interference without a noise figure.
  wifi_busy_ratio: { layer: 'wifi', breaks: 'at_or_above', span: rest },
  wifi_retry_ratio: { layer: 'wifi', breaks: 'at_or_above', span: rest },
  // 1 where the gateway answered the newest probes, 0 where not one.
  gateway_answers: { layer: 'local', breaks: 'below', span: high(0) },
  gateway_loss_ratio: { layer: 'local', breaks: 'at_or_above', span: low },
  gateway_rtt_ms: { layer: 'local', breaks: 'at_or_above', span: low },
  // Private routers behind the gateway: a company's own network, or a second router at home.
  lan_loss_ratio: { layer: 'local', breaks: 'at_or_above', span: low },
  lan_rtt_ms: { layer: 'local', breaks: 'at_or_above', span: low },
  isp_loss_ratio: { layer: 'isp', breaks: 'at_or_above', span: low },
  isp_rtt_ms: { layer: 'isp', breaks: 'at_or_above', span: low },
  sessions_failed: { layer: 'network', breaks: 'at_or_above', span: high(0) },
  session_total_ms: { layer: 'network', breaks: 'at_or_above', span: low },
  // Lost on the way to a session's own host, which confirms it.
  session_loss_ratio: { layer: 'network', breaks: 'at_or_above', span: low },
  // A person waits for the whole: its phases, and the path beyond the ISP, say where it is slow.
  session_dns_ms: { layer: 'network', breaks: 'at_or_above', span: low, isEvidence: true },
  session_connect_ms: { layer: 'network', breaks: 'at_or_above', span: low, isEvidence: true },
  session_tls_ms: { layer: 'network', breaks: 'at_or_above', span: low, isEvidence: true },
  session_ttfb_ms: { layer: 'network', breaks: 'at_or_above', span: low, isEvidence: true },
  beyond_loss_ratio: { layer: 'network', breaks: 'at_or_above', span: low, isEvidence: true },
  beyond_rtt_ms: { layer: 'network', breaks: 'at_or_above', span: low, isEvidence: true },
};

/**
 * One value that a verdict was made from, as it was judged: its limit of that moment and the counts behind it. Units are those of the
 * measure's name; ratios are 0 to 1.
 */
export interface JudgedMeasure {
  measure: Measure;
  value: number;
  limit: number;
  /** Probes sent, or sessions opened; null for a single reading. */
  samples: number | null;
  /** Of the samples: probes lost, or sessions that were slow or failed. */
  failed: number | null;
  /** The session that the value is of. */
  target: string | null;
}

export const layerOf = (measure: Measure): Layer => RULES[measure].layer;

const LOSSES: readonly Measure[] = [
  'gateway_loss_ratio',
  'lan_loss_ratio',
  'isp_loss_ratio',
  'session_loss_ratio',
  'beyond_loss_ratio',
];
export const isLoss = (measure: Measure): boolean => LOSSES.includes(measure);

export const isEvidence = (measure: Measure): boolean => RULES[measure].isEvidence === true;

/** Whether a value broke its limit; one lost probe of few proves nothing. */
export function breaksLimit({ measure, value, limit, failed }: JudgedMeasure): boolean {
  const { breaks } = RULES[measure];
  if (breaks === 'below') return value < limit;
  if (breaks === 'at_or_below') return value <= limit;
  return value >= limit && (!isLoss(measure) || failed === null || failed >= MIN_LOST_PROBES);
}

/** How far beyond its limit, in spans: 0 on the limit, 1 as bad as it gets; infinite for what has no middle. */
function excessOf({ measure, value, limit }: JudgedMeasure): number {
  const span = RULES[measure].span(limit);
  return span > 0 ? Math.abs(value - limit) / span : Number.POSITIVE_INFINITY;
}

/** The measure of a layer that decided against it: of those that broke their limits the one furthest beyond; null where none did. */
export function decidedBy(measures: readonly JudgedMeasure[], layer: Layer): JudgedMeasure | null {
  const broken = measures.filter((one) => layerOf(one.measure) === layer && !isEvidence(one.measure) && breaksLimit(one));
  const order = (one: JudgedMeasure): number => MEASURES.indexOf(one.measure);
  const [worst] = broken.sort((a, b) => {
    const [first, second] = [excessOf(a), excessOf(b)];
    return first === second ? order(a) - order(b) : second - first;
  });
  return worst ?? null;
}
