import { type Cause, DEFAULT_THRESHOLDS, LAYERS, type Layer } from '../verdict.ts';
import { NO_NOTES } from './fault.ts';
import { breaksLimit, type JudgedMeasure, layerOf, type Measure } from './measures.ts';
import type { JudgedVerdict } from './read-verdict.ts';

/** Numbers of 0 to 1 that are the same for the same seed (mulberry32). */
export function createNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

function makeMeasure(measure: Measure, next: () => number): JudgedMeasure {
  const t = DEFAULT_THRESHOLDS;
  const make = (value: number, limit: number, rest: Partial<JudgedMeasure> = {}): JudgedMeasure => ({
    ...{ measure, value: round(value), limit, samples: null, failed: null, target: null },
    ...rest,
  });
  const loss = (limit: number): JudgedMeasure => {
    const samples = 10 + Math.floor(next() * 65);
    const failed = Math.floor(next() ** 3 * samples);
    return { ...make(0, limit, { samples, failed }), value: failed / samples };
  };
  const sessions = { samples: 3, failed: 1 + Math.floor(next() * 3), target: 'crm.example/login' };
  switch (measure) {
    case 'wifi_rssi_dbm':
      return make(Math.round(-50 - 40 * next()), t.wifiRssiDbm);
    case 'wifi_signal_percent':
      return make(Math.round(100 * next()), t.wifiSignalPercent);
    case 'wifi_snr_db':
      return make(Math.round(40 * next()), t.wifiSnrDb);
    case 'gateway_answers':
      return make(0, 1, { samples: 10, failed: 10 });
    case 'gateway_loss_ratio':
      return loss(t.gatewayLoss);
    case 'gateway_rtt_ms':
      return make(60 * next(), t.gatewayRttMs);
    case 'lan_loss_ratio':
    case 'isp_loss_ratio':
      return loss(t.ispLoss);
    case 'lan_rtt_ms':
    case 'isp_rtt_ms':
      return make(200 * next(), t.ispRttMs);
    case 'wifi_busy_ratio':
    case 'wifi_retry_ratio':
      return make(next(), 0.6);
    case 'session_loss_ratio':
    case 'beyond_loss_ratio':
      return loss(t.ispLoss);
    case 'sessions_failed':
      return make(1, 1, sessions);
    case 'session_total_ms':
      return make(4000 * next(), t.sessionTotalMs, sessions);
    default:
      return make(1000 * next(), 500);
  }
}

const USUAL: readonly Measure[] = [
  'gateway_loss_ratio',
  'gateway_rtt_ms',
  'isp_loss_ratio',
  'isp_rtt_ms',
  'session_total_ms',
] as const;

/** A verdict of a device that nobody has: any mix of measures, each layer measured or not, blamed by the rule of the closest. */
export function makeVerdict(next: () => number, atMs = Date.UTC(2026, 10, 1, 12)): Required<JudgedVerdict> {
  const missing = LAYERS.filter(() => next() < 0.1);
  const air: Measure[] = next() < 0.2 ? ['wifi_busy_ratio', 'wifi_retry_ratio'] : [];
  const signal: Measure[] = [
    ...(next() < 0.7 ? (['wifi_rssi_dbm', 'wifi_snr_db'] as const) : (['wifi_signal_percent'] as const)),
    ...air,
  ];
  const rare: Measure[] = [
    ...(next() < 0.1 ? (['gateway_answers'] as const) : []),
    ...(next() < 0.3 ? (['lan_loss_ratio', 'lan_rtt_ms'] as const) : []),
    ...(next() < 0.1 ? (['sessions_failed'] as const) : []),
    ...(next() < 0.1 ? (['session_loss_ratio'] as const) : []),
  ];
  const measures = [...signal, ...USUAL, ...rare]
    .filter((measure) => !missing.includes(layerOf(measure)))
    .map((measure) => makeMeasure(measure, next));
  const isImpaired = (layer: Layer): boolean => measures.some((one) => layerOf(one.measure) === layer && breaksLimit(one));
  const blamed = LAYERS.find(isImpaired);
  const cause: Cause = blamed === undefined ? 'none' : blamed === 'network' && missing.includes('isp') ? 'unknown' : blamed;
  const scoreOf = (layer: Layer): number => Math.floor(isImpaired(layer) ? next() * 51 : 51 + next() * 50);
  const layers = LAYERS.map((layer) => {
    const isMissing = missing.includes(layer);
    return { layer, score: isMissing ? null : scoreOf(layer), unavailable: isMissing ? 'tunnel' : null };
  });
  return {
    cause,
    since: new Date(atMs - Math.floor(next() * 40) * 3_600_000).toISOString(),
    measures,
    layers,
    also: null,
    ...NO_NOTES,
  };
}

/** Devices enough that each cause and each measure comes up. */
export const makeVerdicts = (count: number, seed = 1): Required<JudgedVerdict>[] => {
  const next = createNumbers(seed);
  return Array.from({ length: count }, () => makeVerdict(next));
};
