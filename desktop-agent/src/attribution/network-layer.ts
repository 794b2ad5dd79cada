import type { JudgedMeasure } from '@svc/contracts/judged/measures';
import type { Thresholds, UnavailableCode } from '@svc/contracts/verdict';
import { isLossy, judged, type LayerState, lossMeasure, measured, reading, unmeasured } from './layers.ts';
import { BEYOND_DELAY_MS, delayLimit, PHASES, phaseLimit, sessionLimitOf } from './limits.ts';
import { type BeyondReading, isMeasured, type Readings, type SessionReading } from './readings.ts';
import { scoreLow } from './scores.ts';

export const sessionLimit = (session: SessionReading, t: Thresholds): number =>
  sessionLimitOf(t.sessionTotalMs, session.usual?.total);

/** What the traces show behind the ISP's edge, the worst loss first. */
export const beyondOf = (readings: Readings): readonly BeyondReading[] =>
  isMeasured(readings.path) ? (readings.path.beyond ?? []) : [];

/** The trace to a session's own host, where there is one. */
export const traceOf = (session: SessionReading, readings: Readings): BeyondReading | undefined =>
  beyondOf(readings).find(
    (one) => one.target === session.host || (one.address !== undefined && session.addresses?.includes(one.address)),
  );

/** Its own host confirms a loss on the way: a person feels that, also where one cold session was lucky. */
export function isHostLossy(session: SessionReading, readings: Readings, t: Thresholds): boolean {
  const trace = traceOf(session, readings);
  return trace?.reached === true && trace.lossAt !== undefined && isLossy(trace.lossAt.loss, t.ispLoss);
}

export const isSlow = (session: SessionReading, readings: Readings, t: Thresholds): boolean =>
  !session.success ||
  (session.totalMs !== undefined && session.totalMs >= sessionLimit(session, t)) ||
  isHostLossy(session, readings, t);

/** Those that failed first, then by how far they are beyond their limits. */
export function slowSessions(readings: Readings, t: Thresholds): SessionReading[] {
  const slow = readings.sessions.filter((one) => one.role === 'target' && isSlow(one, readings, t));
  const excess = (one: SessionReading): number =>
    one.success ? (one.totalMs ?? 0) / sessionLimit(one, t) : Number.POSITIVE_INFINITY;
  return slow.toSorted((a, b) => (excess(a) === excess(b) ? 0 : excess(b) - excess(a)));
}

function phaseMeasures({ phases = {}, usual = {}, target }: SessionReading): JudgedMeasure[] {
  return PHASES.flatMap((phase) => {
    const value = phases[phase];
    if (value === undefined) return [];
    return [{ ...reading(`session_${phase}_ms`, value, phaseLimit(phase, usual[phase])), target }];
  });
}

function beyondMeasures(readings: Readings, t: Thresholds): JudgedMeasure[] {
  const lossy = beyondOf(readings).find((one) => one.lossAt);
  const late = beyondOf(readings).find((one) => one.delayAt);
  const limit = delayLimit(BEYOND_DELAY_MS, late?.delayAt?.usualMs);
  return [
    ...(lossy?.lossAt ? [{ ...lossMeasure('beyond_loss_ratio', lossy.lossAt.loss, t.ispLoss), target: lossy.target }] : []),
    ...(late?.delayAt ? [{ ...reading('beyond_rtt_ms', late.delayAt.rttMs, limit), target: late.target }] : []),
  ];
}

const noSession = ({ sessionsToCome, sessionsStale }: Readings): UnavailableCode => {
  if (sessionsToCome) return 'measuring';
  return sessionsStale ? 'no_reading' : 'no_target';
};

/**
 * The far layer, judged by what a person waits for: the session that is spoken of stands for it, else the slowest, and what it waited
 * for stands beside. A service that failed by itself is no measure of what hurts the others.
 */
export function assessNetwork(readings: Readings, t: Thresholds, spoken?: SessionReading): LayerState {
  const sessions = readings.sessions.filter((one) => one.role === 'target');
  if (sessions.length === 0) return unmeasured('network', noSession(readings));
  // A first failure is neither a verdict nor health: the next reading tells.
  const slow = sessions.filter((one) => isSlow(one, readings, t));
  if (slow.length === 0 && sessions.some((one) => one.unsure)) return unmeasured('network', 'no_reading');
  if (slow.length === 0 && readings.sessionsToCome) return unmeasured('network', 'measuring');
  const counts = { samples: sessions.length, failed: slow.length };
  const failed = slow.filter((one) => !one.success);
  const [first] = spoken ? failed.filter((one) => one === spoken) : failed;
  const answered = sessions.filter((one) => one.success);
  const excess = (one: SessionReading): number => (one.totalMs ?? 0) / sessionLimit(one, t);
  const slowest = spoken?.success ? spoken : answered.toSorted((a, b) => excess(b) - excess(a))[0];
  const lossy = sessions.find((one) => one.success && isHostLossy(one, readings, t));
  const measures: JudgedMeasure[] = [];
  if (first)
    measures.push(measured({ measure: 'sessions_failed', value: failed.length, limit: 1, target: first.target, ...counts }));
  if (slowest) {
    const total = reading('session_total_ms', slowest.totalMs ?? 0, sessionLimit(slowest, t));
    measures.push({ ...total, ...counts, target: slowest.target });
  }
  const loss = lossy ? traceOf(lossy, readings)?.lossAt?.loss : undefined;
  if (lossy && loss) measures.push({ ...lossMeasure('session_loss_ratio', loss, t.ispLoss), target: lossy.target });
  const worst = spoken ?? slowest;
  const evidence = [...(worst ? phaseMeasures(worst) : []), ...beyondMeasures(readings, t)];
  const total = scoreLow(slowest ? sessionLimit(slowest, t) : t.sessionTotalMs, slowest?.totalMs ?? 0);
  const lost = loss && loss.sent > 0 ? scoreLow(t.ispLoss, loss.lost / loss.sent) : 100;
  return judged('network', first ? 0 : Math.min(total, lost), [...measures, ...evidence]);
}
