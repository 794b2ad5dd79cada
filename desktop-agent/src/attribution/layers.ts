import { type Layer, MIN_LOST_PROBES, type Thresholds, type UnavailableCode } from '@svc/contracts/verdict';
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
}

const unmeasured = (layer: Layer, unavailable: UnavailableCode): LayerState => ({ layer, score: null, unavailable, fault: null });

/** Impaired layers never score above, healthy ones never below their threshold, whatever rounding does. */
const judged = (layer: Layer, score: number, fault: Fault | null): LayerState => ({
  layer,
  score: fault ? Math.min(score, SCORE_AT_THRESHOLD) : Math.max(score, SCORE_AT_THRESHOLD + 1),
  unavailable: null,
  fault,
});

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
    const weak = signalPercent <= t.wifiSignalPercent;
    return judged(
      'wifi',
      scoreHigh(t.wifiSignalPercent, 45)(signalPercent),
      weak ? { kind: 'weak_signal_percent', signalPercent } : null,
    );
  }
  const signalScore = scoreHigh(t.wifiRssiDbm, 20)(rssiDbm);
  if (rssiDbm <= t.wifiRssiDbm) return judged('wifi', signalScore, { kind: 'weak_signal', rssiDbm });
  if (noiseDbm === undefined) return judged('wifi', signalScore, null);
  const snrDb = rssiDbm - noiseDbm;
  const score = Math.min(signalScore, scoreHigh(t.wifiSnrDb, 15)(snrDb));
  return judged('wifi', score, snrDb < t.wifiSnrDb ? { kind: 'noise', snrDb, rssiDbm } : null);
}

export function assessLocal(readings: Readings, t: Thresholds): LayerState {
  const gateway: Maybe<GatewayReading> = readings.gateway;
  if (!isMeasured(gateway)) return unmeasured('local', gateway.unavailable);
  if (!gateway.answered && gateway.loss.lost >= gateway.loss.sent) {
    // Some routers answer no probe of any kind; what lies behind them is then the proof that they forward.
    return readings.egressProven ? unmeasured('local', 'not_supported') : judged('local', 0, { kind: 'gateway_silent' });
  }
  if (!gateway.answered && !readings.egressProven) return judged('local', 0, { kind: 'gateway_silent' });
  const { loss, rttMs } = gateway;
  const score = Math.min(lossScore(loss, t.gatewayLoss), rttMs === undefined ? 100 : scoreLow(t.gatewayRttMs, rttMs));
  if (isLossy(loss, t.gatewayLoss)) return judged('local', score, { kind: 'gateway_loss', loss });
  if (rttMs !== undefined && rttMs >= t.gatewayRttMs) return judged('local', score, { kind: 'gateway_slow', rttMs });
  return judged('local', score, null);
}

export function assessIsp(readings: Readings, t: Thresholds): LayerState {
  const { path } = readings;
  if (!isMeasured(path)) return unmeasured('isp', path.unavailable);
  const isp: IspReading | undefined = path.isp;
  if (!isp) return unmeasured('isp', 'not_supported');
  const score = Math.min(lossScore(isp.loss, t.ispLoss), isp.rttMs === undefined ? 100 : scoreLow(t.ispRttMs, isp.rttMs));
  if (isLossy(isp.loss, t.ispLoss)) return judged('isp', score, { kind: 'isp_loss', loss: isp.loss });
  if (isp.rttMs !== undefined && isp.rttMs >= t.ispRttMs) return judged('isp', score, { kind: 'isp_slow', rttMs: isp.rttMs });
  return judged('isp', score, null);
}

const isSlow = (session: SessionReading, t: Thresholds): boolean =>
  !session.success || (session.totalMs !== undefined && session.totalMs >= t.sessionTotalMs);

/** The far layer, judged by what a person waits for: the slowest session stands for it. */
export function assessNetwork(readings: Readings, t: Thresholds): LayerState {
  const sessions = readings.sessions.filter((s) => s.role === 'target');
  if (sessions.length === 0) return unmeasured('network', 'no_target');
  const slow = sessions.filter((s) => isSlow(s, t));
  const counts = { slow: slow.length, of: sessions.length };
  const failed = slow.find((s) => !s.success);
  if (failed) return judged('network', 0, { kind: 'session_failed', target: failed.target, ...counts });
  const slowest = sessions.reduce((a, b) => ((b.totalMs ?? 0) > (a.totalMs ?? 0) ? b : a));
  const totalMs = slowest.totalMs ?? 0;
  const score = scoreLow(t.sessionTotalMs, totalMs);
  return judged('network', score, slow.length > 0 ? { kind: 'session_slow', target: slowest.target, totalMs, ...counts } : null);
}
