import type { FaultKind } from '@svc/contracts/fault-kinds';
import type { Health } from '@svc/contracts/judged/healths';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import type { Cause } from '@svc/contracts/verdict';
import { CAUSES } from '@svc/contracts/verdict';
import { foldJudged, keepJudged, readSince } from './judged-readings.ts';
import { foldSession, type Sessions, worstSession } from './sessions.ts';

/** What the view keeps of one agent's results. Times are Unix milliseconds of the device's clock; `Why` is the code of a value not measured. */
export interface Readings {
  connection: string;
  wifiAt: number | null;
  wifiRssiDbm: number | null;
  wifiRssiWhy: string | null;
  wifiSignalPercent: number | null;
  wifiSignalWhy: string | null;
  gatewayAt: number | null;
  gatewayAddress: string | null;
  gatewayRttMs: number | null;
  gatewayRttWhy: string | null;
  gatewayLossRatio: number | null;
  gatewayLossWhy: string | null;
  ispAt: number | null;
  ispRttMs: number | null;
  ispRttWhy: string | null;
  ispLossRatio: number | null;
  ispLossWhy: string | null;
  sessionAt: number | null;
  worstSessionMs: number | null;
  worstSessionWhy: string | null;
  worstSessionTarget: string | null;
  /** Of the newest session to each judged target; null where none was measured since failures are counted. */
  sessionsFailed: number | null;
  sessionsJudged: number | null;
  failedSessionTarget: string | null;
  failedSessionPhase: string | null;
  causeAt: number | null;
  cause: Cause | null;
  summary: string | null;
  confidence: number | null;
  verdictSince: number | null;
  /** What the verdict was judged by, as its device sent it; null where it sent nothing that can be read. */
  judged: string | null;
  health: Health | null;
  faultKind: FaultKind | null;
}

/** Readings with the sessions they were made of; `sessions` is undefined where no session result is to be folded. */
export interface AgentReadings {
  readings: Readings;
  sessions: Sessions | undefined;
}

export const emptyReadings = (): Readings => ({
  connection: 'unknown',
  wifiAt: null,
  wifiRssiDbm: null,
  wifiRssiWhy: null,
  wifiSignalPercent: null,
  wifiSignalWhy: null,
  gatewayAt: null,
  gatewayAddress: null,
  gatewayRttMs: null,
  gatewayRttWhy: null,
  gatewayLossRatio: null,
  gatewayLossWhy: null,
  ispAt: null,
  ispRttMs: null,
  ispRttWhy: null,
  ispLossRatio: null,
  ispLossWhy: null,
  sessionAt: null,
  worstSessionMs: null,
  worstSessionWhy: null,
  worstSessionTarget: null,
  sessionsFailed: null,
  sessionsJudged: null,
  failedSessionTarget: null,
  failedSessionPhase: null,
  causeAt: null,
  cause: null,
  summary: null,
  confidence: null,
  verdictSince: null,
  judged: null,
  health: null,
  faultKind: null,
});

const SUMMARY_LENGTH = 500;
/** A failed look at one trace target does not hide what another one showed this shortly before. */
const HIDE_ABSENCE_MS = 120_000;

const isNewer = (at: number, known: number | null): boolean => known === null || at > known;

/** Why a key has no value: its own code, else the one that stands for the whole result, else nothing is known. */
export function whyAbsent(result: CanonicalResult, key: string): string | null {
  const own = result.attributes[`unavailable.${key}`];
  if (own !== undefined) return own;
  if (result.present) return null;
  for (const [name, code] of Object.entries(result.attributes)) if (name.startsWith('unavailable.')) return code;
  return null;
}

function readMetric(result: CanonicalResult, key: string): { value: number | null; why: string | null } {
  const value = result.metrics[key];
  return value === undefined ? { value: null, why: whyAbsent(result, key) } : { value, why: null };
}

const CONNECTIONS = new Set(['wifi', 'wired', 'cellular']);

function foldWifi(r: Readings, result: CanonicalResult, at: number): boolean {
  if (!isNewer(at, r.wifiAt)) return false;
  const rssi = readMetric(result, 'rssi.dbm');
  const signal = readMetric(result, 'signal.percent');
  const said = result.attributes[ATTRIBUTES.connectionType];
  const guessed = result.present ? 'wifi' : rssi.why === 'wired' ? 'wired' : 'unknown';
  const fresh = {
    wifiRssiDbm: rssi.value,
    wifiRssiWhy: rssi.why,
    wifiSignalPercent: signal.value,
    wifiSignalWhy: signal.why,
  };
  const connection = said !== undefined && CONNECTIONS.has(said) ? said : guessed;
  Object.assign(r, { wifiAt: at, connection, ...keepJudged(r, at, fresh) });
  return true;
}

function foldGateway(r: Readings, result: CanonicalResult, at: number): boolean {
  if (!isNewer(at, r.gatewayAt)) return false;
  const rtt = readMetric(result, 'rtt.avg.ms');
  const loss = readMetric(result, 'packet.loss.ratio');
  const fresh = {
    gatewayRttMs: rtt.value,
    gatewayRttWhy: rtt.why,
    gatewayLossRatio: loss.value,
    gatewayLossWhy: loss.why,
  };
  const gatewayAddress = result.attributes[ATTRIBUTES.gatewayAddress] ?? null;
  Object.assign(r, { gatewayAt: at, gatewayAddress, ...keepJudged(r, at, fresh) });
  return true;
}

function foldPath(r: Readings, result: CanonicalResult, at: number): boolean {
  if (!isNewer(at, r.ispAt)) return false;
  const rtt = readMetric(result, 'segment.isp-edge.rtt.avg.ms');
  const loss = readMetric(result, 'segment.isp-edge.packet.loss.ratio');
  const known = r.ispRttMs !== null || r.ispLossRatio !== null;
  if (rtt.value === null && loss.value === null && known && at - (r.ispAt ?? 0) < HIDE_ABSENCE_MS) return false;
  const fresh = { ispRttMs: rtt.value, ispRttWhy: rtt.why, ispLossRatio: loss.value, ispLossWhy: loss.why };
  Object.assign(r, { ispAt: at, ...keepJudged(r, at, fresh) });
  return true;
}

function foldAttribution(r: Readings, result: CanonicalResult, at: number): boolean {
  if (!isNewer(at, r.causeAt)) return false;
  const said = result.attributes[ATTRIBUTES.cause];
  const cause = CAUSES.find((word) => word === said) ?? null;
  if (cause === null) return false;
  r.verdictSince = readSince(result, at) ?? (cause === r.cause ? r.verdictSince : at);
  const summary = result.attributes[ATTRIBUTES.summary]?.slice(0, SUMMARY_LENGTH) ?? null;
  Object.assign(r, { causeAt: at, cause, summary, confidence: result.metrics.confidence ?? null });
  foldJudged(r, result, at);
  return true;
}

function foldIntoSessions(agent: AgentReadings, result: CanonicalResult, at: number): boolean {
  if (!agent.sessions || !foldSession(agent.sessions, result, at)) return false;
  const worst = worstSession(agent.sessions);
  const sessionAt = Math.max(at, agent.readings.sessionAt ?? 0);
  const fresh = {
    ...{ worstSessionMs: worst.ms, worstSessionWhy: worst.why, worstSessionTarget: worst.target },
    ...{ sessionsFailed: worst.failed, sessionsJudged: worst.of },
    ...{ failedSessionTarget: worst.failedTarget, failedSessionPhase: worst.failedPhase },
  };
  Object.assign(agent.readings, { sessionAt, ...keepJudged(agent.readings, sessionAt, fresh) });
  return true;
}

/**
 * Takes one result into what is known of its agent; true when anything changed. Only a newer start wins for each signal, so results
 * may come twice and in any order.
 */
export function foldResult(agent: AgentReadings, result: CanonicalResult): boolean {
  const at = Date.parse(result.started_at);
  switch (result.canary_type) {
    case 'endpoint.wifi':
      return foldWifi(agent.readings, result, at);
    case 'endpoint.gateway':
      return foldGateway(agent.readings, result, at);
    case 'endpoint.lastmile':
      return foldPath(agent.readings, result, at);
    case 'endpoint.session':
      return foldIntoSessions(agent, result, at);
    case 'endpoint.attribution':
      return foldAttribution(agent.readings, result, at);
    default:
      return false;
  }
}
