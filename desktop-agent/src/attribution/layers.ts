import { breaksLimit, decidedBy, type JudgedMeasure } from '@svc/contracts/judged/measures';
import { type Layer, MIN_LOST_PROBES, type Thresholds, type UnavailableCode } from '@svc/contracts/verdict';
import { round } from '../result.ts';
import { BUSY_LIMIT, delayLimit, RETRY_LIMIT } from './limits.ts';
import {
  type Delay,
  type GatewayReading,
  type IspReading,
  isMeasured,
  type Loss,
  type Maybe,
  type Readings,
} from './readings.ts';
import { SCORE_AT_THRESHOLD, scoreHigh, scoreLow } from './scores.ts';

export interface LayerState {
  layer: Layer;
  /** 0 to 100, high is good; null where the layer could not be judged, then `unavailable` says why. */
  score: number | null;
  unavailable: UnavailableCode | null;
  /** The measure that decided against it; null where it is healthy or was not judged. */
  decided: JudgedMeasure | null;
  /** Every value that the layer was judged by, with its limit and counts. */
  measures: readonly JudgedMeasure[];
}

export const unmeasured = (layer: Layer, unavailable: UnavailableCode): LayerState => ({
  layer,
  score: null,
  unavailable,
  decided: null,
  measures: [],
});

type Given = Pick<JudgedMeasure, 'measure' | 'value' | 'limit'> & Partial<JudgedMeasure>;
export const measured = (part: Given): JudgedMeasure => ({ samples: null, failed: null, target: null, ...part });
/** Judged as it is sent, so that nobody sees a value on the other side of its limit. */
export const reading = (measure: JudgedMeasure['measure'], value: number, limit: number): JudgedMeasure =>
  measured({ measure, value: round(value), limit });
export const lossMeasure = (measure: JudgedMeasure['measure'], loss: Loss, threshold: number): JudgedMeasure =>
  measured({ measure, value: ratio(loss), limit: lossLimit(loss, threshold), samples: loss.sent, failed: loss.lost });

/** Impaired layers never score above, healthy ones never below their threshold, whatever rounding does. */
export function judged(layer: Layer, score: number, measures: readonly JudgedMeasure[]): LayerState {
  const decided = decidedBy(measures, layer);
  return {
    layer,
    score: decided ? Math.min(score, SCORE_AT_THRESHOLD) : Math.max(score, SCORE_AT_THRESHOLD + 1),
    unavailable: null,
    decided,
    measures,
  };
}

const ratio = (loss: Loss): number => (loss.sent > 0 ? loss.lost / loss.sent : 0);

/** Two or three strays of one moment happen on every network. */
const MIN_LOST_AT_ONCE = 4;

/** The policy's threshold; a loss that only one reading shows has to be more than a stray moment's. */
const lossLimit = ({ sent, atOnce }: Loss, threshold: number): number =>
  atOnce && sent > 0 ? Math.min(1, Math.max(threshold, MIN_LOST_AT_ONCE / sent)) : threshold;

/** Lossy from the ratio on, but one lost probe of few proves nothing. */
export const isLossy = (loss: Loss, threshold: number): boolean =>
  loss.lost >= MIN_LOST_PROBES && ratio(loss) >= lossLimit(loss, threshold);

/** A stray packet costs a healthy layer little; two and more weigh by how near they come to the threshold. */
const lossScore = (loss: Loss, threshold: number): number => {
  const limit = lossLimit(loss, threshold);
  if (isLossy(loss, threshold)) return scoreLow(limit, ratio(loss));
  if (loss.lost < MIN_LOST_PROBES) return loss.lost === 0 ? 100 : 90;
  return 100 - Math.round((ratio(loss) / limit) * 49);
};

/** A gateway that answers and yet loses packets or is late: on a radio that may be the radio's doing. */
function suffers(readings: Readings, t: Thresholds): boolean {
  const { decided } = assessGateway(readings, t);
  return decided !== null && decided.measure !== 'gateway_answers';
}

/** So much more than its limit a signal has to have where the gateway suffers: near it, it is what loses. */
const NEAR_DB = 4;
const NEAR_PERCENT = 10;

/** The policy's limits of the radio, or those that hold while the gateway suffers. */
function radioLimits(readings: Readings, t: Thresholds): Pick<Thresholds, 'wifiRssiDbm' | 'wifiSignalPercent' | 'wifiSnrDb'> {
  const { wifiRssiDbm, wifiSignalPercent, wifiSnrDb } = t;
  if (!suffers(readings, t)) return { wifiRssiDbm, wifiSignalPercent, wifiSnrDb };
  return {
    wifiRssiDbm: wifiRssiDbm + NEAR_DB,
    wifiSignalPercent: wifiSignalPercent + NEAR_PERCENT,
    wifiSnrDb: wifiSnrDb + NEAR_DB,
  };
}

/**
 * A crowded channel hurts where the gateway is late or loses packets; where it does not, others simply use their share. Then, and where
 * it is quiet, the figures stand beside the signal.
 */
function airtime(readings: Readings, t: Thresholds): JudgedMeasure[] {
  if (!isMeasured(readings.wifi)) return [];
  const { busyRatio, retryRatio } = readings.wifi;
  const hurts = assessGateway(readings, t).decided !== null;
  return [
    ...(busyRatio === undefined ? [] : [reading('wifi_busy_ratio', busyRatio, BUSY_LIMIT)]),
    ...(retryRatio === undefined ? [] : [reading('wifi_retry_ratio', retryRatio, RETRY_LIMIT)]),
  ].filter((one) => hurts || !breaksLimit(one));
}

export function assessWifi(readings: Readings, t: Thresholds): LayerState {
  const { wifi } = readings;
  if (!isMeasured(wifi)) return unmeasured('wifi', wifi.unavailable);
  const { rssiDbm, signalPercent, noiseDbm } = wifi;
  const limits = radioLimits(readings, t);
  const air = airtime(readings, t);
  const airScore = Math.min(100, ...air.map((one) => scoreLow(one.limit, one.value)));
  if (rssiDbm === undefined) {
    if (signalPercent === undefined) return unmeasured('wifi', 'not_supported');
    const signal = reading('wifi_signal_percent', signalPercent, limits.wifiSignalPercent);
    return judged('wifi', Math.min(airScore, scoreHigh(limits.wifiSignalPercent, 45)(signalPercent)), [signal, ...air]);
  }
  const signal = reading('wifi_rssi_dbm', rssiDbm, limits.wifiRssiDbm);
  const signalScore = Math.min(airScore, scoreHigh(limits.wifiRssiDbm, 20)(rssiDbm));
  if (noiseDbm === undefined) return judged('wifi', signalScore, [signal, ...air]);
  const snr = reading('wifi_snr_db', rssiDbm - noiseDbm, limits.wifiSnrDb);
  return judged('wifi', Math.min(signalScore, scoreHigh(limits.wifiSnrDb, 15)(snr.value)), [signal, snr, ...air]);
}

const silentGateway = ({ sent, lost }: Loss): LayerState =>
  judged('local', 0, [measured({ measure: 'gateway_answers', value: 0, limit: 1, samples: sent, failed: lost })]);

/** The delay of a layer beside its loss; the limit is higher on a network that is slow by nature. */
function delayOf(measure: JudgedMeasure['measure'], { rttMs, usualMs }: Delay, threshold: number) {
  if (rttMs === undefined) return { score: 100, measures: [] };
  const limit = delayLimit(threshold, usualMs);
  return { score: scoreLow(limit, rttMs), measures: [reading(measure, rttMs, limit)] };
}

/**
 * Private routers behind the gateway belong to whoever runs this place, not to the provider. They may lie as far away as the provider's
 * first router does, so its limits are theirs.
 */
function lanOf({ path }: Readings, t: Thresholds): { score: number; measures: JudgedMeasure[] } {
  const lan = isMeasured(path) ? path.lan : undefined;
  if (!lan) return { score: 100, measures: [] };
  const delay = delayOf('lan_rtt_ms', lan, t.ispRttMs);
  const loss = lossMeasure('lan_loss_ratio', lan.loss, t.ispLoss);
  return { score: Math.min(lossScore(lan.loss, t.ispLoss), delay.score), measures: [loss, ...delay.measures] };
}

/** The gateway, and then the private routers behind it. */
export function assessLocal(readings: Readings, t: Thresholds): LayerState {
  const gateway = assessGateway(readings, t);
  const lan = lanOf(readings, t);
  const isBroken = decidedBy(lan.measures, 'local') !== null;
  if (gateway.decided || lan.measures.length === 0 || (gateway.score === null && !isBroken)) return gateway;
  return judged('local', Math.min(gateway.score ?? 100, lan.score), [...gateway.measures, ...lan.measures]);
}

function assessGateway(readings: Readings, t: Thresholds): LayerState {
  const gateway: Maybe<GatewayReading> = readings.gateway;
  if (!isMeasured(gateway)) return unmeasured('local', gateway.unavailable);
  const { loss } = gateway;
  if (!gateway.answered && loss.lost >= loss.sent) {
    // Some routers answer no probe of any kind; what lies behind them is then the proof that they forward.
    return readings.egressProven ? unmeasured('local', 'not_supported') : silentGateway(loss);
  }
  if (!gateway.answered && !readings.egressProven) return silentGateway(loss);
  // The local network is nobody's satellite: that it is slow every day does not make it quick.
  const { usualMs: _, ...ownDelay } = gateway;
  const delay = delayOf('gateway_rtt_ms', ownDelay, t.gatewayRttMs);
  const score = Math.min(lossScore(loss, t.gatewayLoss), delay.score);
  return judged('local', score, [lossMeasure('gateway_loss_ratio', loss, t.gatewayLoss), ...delay.measures]);
}

export function assessIsp(readings: Readings, t: Thresholds): LayerState {
  const { path } = readings;
  if (!isMeasured(path)) return unmeasured('isp', path.unavailable);
  const isp: IspReading | undefined = path.isp;
  if (!isp) return unmeasured('isp', 'not_supported');
  const delay = delayOf('isp_rtt_ms', isp, t.ispRttMs);
  const score = Math.min(lossScore(isp.loss, t.ispLoss), delay.score);
  return judged('isp', score, [lossMeasure('isp_loss_ratio', isp.loss, t.ispLoss), ...delay.measures]);
}
