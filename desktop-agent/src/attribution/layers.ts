import { decidedBy, type JudgedMeasure } from '@svc/contracts/judged/measures';
import { type Layer, MIN_LOST_PROBES, type Thresholds, type UnavailableCode } from '@svc/contracts/verdict';
import { round } from '../result.ts';
import {
  type GatewayReading,
  type IspReading,
  isMeasured,
  type Loss,
  type Maybe,
  type Readings,
  type SessionReading,
} from './readings.ts';
import { SCORE_AT_THRESHOLD, scoreHigh, scoreLow } from './scores.ts';

/** Why a layer is blamed, with the figures that its sentence names. */
export type Fault =
  | { kind: 'weak_signal'; rssiDbm: number }
  | { kind: 'weak_signal_percent'; signalPercent: number }
  | { kind: 'noise'; snrDb: number; rssiDbm: number }
  | { kind: 'gateway_silent' }
  | { kind: 'gateway_loss'; loss: Loss }
  | { kind: 'gateway_slow'; rttMs: number }
  | { kind: 'isp_loss'; loss: Loss }
  | { kind: 'isp_slow'; rttMs: number }
  | { kind: 'session_failed'; target: string; slow: number; of: number }
  | { kind: 'session_slow'; target: string; totalMs: number; slow: number; of: number };

export interface LayerState {
  layer: Layer;
  /** 0 to 100, high is good; null where the layer could not be judged, then `unavailable` says why. */
  score: number | null;
  unavailable: UnavailableCode | null;
  fault: Fault | null;
  /** Every value that the layer was judged by, with its limit and counts. */
  measures: readonly JudgedMeasure[];
}

const unmeasured = (layer: Layer, unavailable: UnavailableCode): LayerState => ({
  layer,
  score: null,
  unavailable,
  fault: null,
  measures: [],
});

type Judged = Pick<JudgedMeasure, 'measure' | 'value' | 'limit'> & Partial<JudgedMeasure>;
const measured = (part: Judged): JudgedMeasure => ({ samples: null, failed: null, target: null, ...part });
/** Judged as it is sent, so that nobody sees a value on the other side of its limit. */
const reading = (measure: JudgedMeasure['measure'], value: number, limit: number): JudgedMeasure =>
  measured({ measure, value: round(value), limit });
const lossMeasure = (measure: JudgedMeasure['measure'], { sent, lost }: Loss, limit: number): JudgedMeasure =>
  measured({ measure, value: sent > 0 ? lost / sent : 0, limit, samples: sent, failed: lost });

/** The fault that the deciding measure stands for, with the figures that its sentence names. */
function faultOf(decided: JudgedMeasure, measures: readonly JudgedMeasure[]): Fault {
  const { measure, value } = decided;
  const loss = { sent: decided.samples ?? 0, lost: decided.failed ?? 0 };
  const services = { target: decided.target ?? '', slow: decided.failed ?? 0, of: decided.samples ?? 0 };
  const rssiDbm = measures.find((one) => one.measure === 'wifi_rssi_dbm')?.value ?? 0;
  switch (measure) {
    case 'wifi_rssi_dbm':
      return { kind: 'weak_signal', rssiDbm: value };
    case 'wifi_signal_percent':
      return { kind: 'weak_signal_percent', signalPercent: value };
    case 'wifi_snr_db':
      return { kind: 'noise', snrDb: value, rssiDbm };
    case 'gateway_answers':
      return { kind: 'gateway_silent' };
    case 'gateway_loss_ratio':
      return { kind: 'gateway_loss', loss };
    case 'gateway_rtt_ms':
      return { kind: 'gateway_slow', rttMs: value };
    case 'isp_loss_ratio':
      return { kind: 'isp_loss', loss };
    case 'isp_rtt_ms':
      return { kind: 'isp_slow', rttMs: value };
    case 'sessions_failed':
      return { kind: 'session_failed', ...services };
    case 'session_total_ms':
      return { kind: 'session_slow', ...services, totalMs: value };
  }
}

/** Impaired layers never score above, healthy ones never below their threshold, whatever rounding does. */
function judged(layer: Layer, score: number, measures: readonly JudgedMeasure[]): LayerState {
  const decided = decidedBy(measures, layer);
  return {
    layer,
    score: decided ? Math.min(score, SCORE_AT_THRESHOLD) : Math.max(score, SCORE_AT_THRESHOLD + 1),
    unavailable: null,
    fault: decided ? faultOf(decided, measures) : null,
    measures,
  };
}

const ratio = (loss: Loss): number => (loss.sent > 0 ? loss.lost / loss.sent : 0);

/** Lossy from the ratio on, but one lost probe of few proves nothing. */
const isLossy = (loss: Loss, threshold: number): boolean => loss.lost >= MIN_LOST_PROBES && ratio(loss) >= threshold;

/** A stray packet costs a healthy layer little; two and more weigh by how near they come to the threshold. */
const lossScore = (loss: Loss, threshold: number): number => {
  if (isLossy(loss, threshold)) return scoreLow(threshold, ratio(loss));
  if (loss.lost < MIN_LOST_PROBES) return loss.lost === 0 ? 100 : 90;
  return 100 - Math.round((ratio(loss) / threshold) * 49);
};

export function assessWifi(readings: Readings, t: Thresholds): LayerState {
  const { wifi } = readings;
  if (!isMeasured(wifi)) return unmeasured('wifi', wifi.unavailable);
  const { rssiDbm, signalPercent, noiseDbm } = wifi;
  if (rssiDbm === undefined) {
    if (signalPercent === undefined) return unmeasured('wifi', 'not_supported');
    const signal = reading('wifi_signal_percent', signalPercent, t.wifiSignalPercent);
    return judged('wifi', scoreHigh(t.wifiSignalPercent, 45)(signalPercent), [signal]);
  }
  const signal = reading('wifi_rssi_dbm', rssiDbm, t.wifiRssiDbm);
  const signalScore = scoreHigh(t.wifiRssiDbm, 20)(rssiDbm);
  if (noiseDbm === undefined) return judged('wifi', signalScore, [signal]);
  const snr = reading('wifi_snr_db', rssiDbm - noiseDbm, t.wifiSnrDb);
  return judged('wifi', Math.min(signalScore, scoreHigh(t.wifiSnrDb, 15)(snr.value)), [signal, snr]);
}

const silentGateway = ({ sent, lost }: Loss): LayerState =>
  judged('local', 0, [measured({ measure: 'gateway_answers', value: 0, limit: 1, samples: sent, failed: lost })]);

export function assessLocal(readings: Readings, t: Thresholds): LayerState {
  const gateway: Maybe<GatewayReading> = readings.gateway;
  if (!isMeasured(gateway)) return unmeasured('local', gateway.unavailable);
  const { loss, rttMs } = gateway;
  if (!gateway.answered && loss.lost >= loss.sent) {
    // Some routers answer no probe of any kind; what lies behind them is then the proof that they forward.
    return readings.egressProven ? unmeasured('local', 'not_supported') : silentGateway(loss);
  }
  if (!gateway.answered && !readings.egressProven) return silentGateway(loss);
  const score = Math.min(lossScore(loss, t.gatewayLoss), rttMs === undefined ? 100 : scoreLow(t.gatewayRttMs, rttMs));
  const rtt = rttMs === undefined ? [] : [reading('gateway_rtt_ms', rttMs, t.gatewayRttMs)];
  return judged('local', score, [lossMeasure('gateway_loss_ratio', loss, t.gatewayLoss), ...rtt]);
}

export function assessIsp(readings: Readings, t: Thresholds): LayerState {
  const { path } = readings;
  if (!isMeasured(path)) return unmeasured('isp', path.unavailable);
  const isp: IspReading | undefined = path.isp;
  if (!isp) return unmeasured('isp', 'not_supported');
  const { loss, rttMs } = isp;
  const score = Math.min(lossScore(loss, t.ispLoss), rttMs === undefined ? 100 : scoreLow(t.ispRttMs, rttMs));
  const rtt = rttMs === undefined ? [] : [reading('isp_rtt_ms', rttMs, t.ispRttMs)];
  return judged('isp', score, [lossMeasure('isp_loss_ratio', loss, t.ispLoss), ...rtt]);
}

const isSlow = (session: SessionReading, t: Thresholds): boolean =>
  !session.success || (session.totalMs !== undefined && session.totalMs >= t.sessionTotalMs);

/** The far layer, judged by what a person waits for: the slowest session stands for it. */
export function assessNetwork(readings: Readings, t: Thresholds): LayerState {
  const sessions = readings.sessions.filter((s) => s.role === 'target');
  if (sessions.length === 0) return unmeasured('network', 'no_target');
  const slow = sessions.filter((s) => isSlow(s, t));
  const counts = { samples: sessions.length, failed: slow.length };
  const failed = slow.filter((s) => !s.success);
  const [first] = failed;
  const answered = sessions.filter((s) => s.success);
  const slowest = answered.reduce<SessionReading | undefined>(
    (a, b) => ((b.totalMs ?? 0) > (a?.totalMs ?? -1) ? b : a),
    undefined,
  );
  const measures: JudgedMeasure[] = [];
  if (first)
    measures.push(measured({ measure: 'sessions_failed', value: failed.length, limit: 1, target: first.target, ...counts }));
  if (slowest) {
    const total = reading('session_total_ms', slowest.totalMs ?? 0, t.sessionTotalMs);
    measures.push({ ...total, ...counts, target: slowest.target });
  }
  return judged('network', first ? 0 : scoreLow(t.sessionTotalMs, slowest?.totalMs ?? 0), measures);
}
