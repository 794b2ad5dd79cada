import type { EndpointRow, StripHour } from '@svc/contracts/endpoint/view';
import { type Health, healthOf } from '@svc/contracts/judged/healths';
import { measuresOfReadings } from '@svc/contracts/judged/measures-of-readings';
import { CAUSES } from '@svc/contracts/verdict';
import { versionSortKey } from '../agent-copies.ts';
import { NO_VERDICT, type RowVerdict, readJudgement, rowVerdict } from '../domain/judged-row.ts';

/** Columns of `endpoint_summary s` that a row is made of; `verdict` is added by the query. */
export const ROW_COLUMNS = `s.agent_id, s.name, s.owner, s.site, s.judged, s.confidence, s.verdict_since, s.paused_until, s.connection,
  s.wifi_rssi_dbm, s.wifi_rssi_why, s.wifi_signal_percent, s.wifi_signal_why, s.gateway_rtt_ms, s.gateway_rtt_why,
  s.gateway_loss_ratio, s.gateway_loss_why, s.isp_rtt_ms, s.isp_rtt_why, s.isp_loss_ratio, s.isp_loss_why, s.worst_session_ms,
  s.worst_session_why, s.worst_session_target, s.sessions_failed, s.sessions_judged, s.failed_session_target, s.failed_session_phase,
  s.gateway_address, s.os, s.os_version, s.agent_version, s.ring, s.state, s.simulated,
  s.enrolled_at, s.last_contact_at, s.cause, s.cause_at, s.face, s.missing_permissions, s.disclosure`;

export interface SummaryRow {
  agent_id: string;
  name: string | null;
  owner: string | null;
  site: string | null;
  judged: string | null;
  confidence: number | null;
  verdict_since: Date | null;
  paused_until: Date | null;
  connection: EndpointRow['connection'];
  wifi_rssi_dbm: number | null;
  wifi_rssi_why: string | null;
  wifi_signal_percent: number | null;
  wifi_signal_why: string | null;
  gateway_rtt_ms: number | null;
  gateway_rtt_why: string | null;
  gateway_loss_ratio: number | null;
  gateway_loss_why: string | null;
  isp_rtt_ms: number | null;
  isp_rtt_why: string | null;
  isp_loss_ratio: number | null;
  isp_loss_why: string | null;
  worst_session_ms: number | null;
  worst_session_why: string | null;
  worst_session_target: string | null;
  sessions_failed: number | null;
  sessions_judged: number | null;
  failed_session_target: string | null;
  failed_session_phase: string | null;
  gateway_address: string | null;
  os: string | null;
  os_version: string | null;
  agent_version: string | null;
  ring: EndpointRow['ring'];
  state: EndpointRow['state'];
  simulated: boolean;
  enrolled_at: Date;
  last_contact_at: Date | null;
  cause: string | null;
  cause_at: Date | null;
  face: EndpointRow['face'];
  missing_permissions: EndpointRow['missing_permissions'] | null;
  disclosure: EndpointRow['disclosure'];
  verdict: EndpointRow['verdict'];
}

const toInstant = (date: Date | null): string | null => date?.toISOString() ?? null;
const reading = (value: number | null, unavailable: string | null) => ({ value, unavailable });

/** The verdict of a row with its measures and its sentence; those belong to a cause and to nothing else. */
export function readRowVerdict(row: SummaryRow): RowVerdict {
  const cause = CAUSES.find((one) => one === row.verdict);
  if (cause === undefined || row.verdict !== row.cause) return NO_VERDICT;
  const since = toInstant(row.verdict_since);
  return rowVerdict(
    { cause, since, confidence: row.confidence },
    readJudgement(row.judged, () => measuresOfReadings(row)),
  );
}

/** How well the device of a row is, by what its verdict says; null where that is a state. */
export function readHealth(row: SummaryRow, said: RowVerdict): Health | null {
  const cause = CAUSES.find((one) => one === row.verdict);
  return cause === undefined || row.verdict !== row.cause ? null : healthOf({ cause, ...said });
}

const failuresOf = (row: SummaryRow): EndpointRow['session_failures'] =>
  row.sessions_failed && row.sessions_judged && row.failed_session_target !== null
    ? {
        failed: row.sessions_failed,
        of: row.sessions_judged,
        target: row.failed_session_target,
        phase: row.failed_session_phase,
      }
    : null;

/** A row of the fleet as the console gets it. */
export function toEndpointRow(row: SummaryRow, strip: readonly StripHour[], newestVersion: string | null): EndpointRow {
  const isOutdated =
    row.agent_version !== null && newestVersion !== null && versionSortKey(row.agent_version) < versionSortKey(newestVersion);
  return {
    id: row.agent_id,
    name: row.name,
    owner: row.owner,
    site: row.site,
    verdict: row.verdict,
    ...readRowVerdict(row),
    paused_until: toInstant(row.paused_until),
    strip_24h: [...strip],
    connection: row.connection,
    wifi_rssi_dbm: reading(row.wifi_rssi_dbm, row.wifi_rssi_why),
    wifi_signal_percent: reading(row.wifi_signal_percent, row.wifi_signal_why),
    gateway_rtt_ms: reading(row.gateway_rtt_ms, row.gateway_rtt_why),
    gateway_loss_ratio: reading(row.gateway_loss_ratio, row.gateway_loss_why),
    isp_rtt_ms: reading(row.isp_rtt_ms, row.isp_rtt_why),
    isp_loss_ratio: reading(row.isp_loss_ratio, row.isp_loss_why),
    worst_session_ms: reading(row.worst_session_ms, row.worst_session_why),
    worst_session_target: row.worst_session_target,
    session_failures: failuresOf(row),
    gateway_address: row.gateway_address,
    os: row.os,
    os_version: row.os_version,
    agent_version: row.agent_version,
    outdated: isOutdated || row.state === 'update_required',
    ring: row.ring,
    state: row.state,
    face: row.face,
    missing_permissions: row.missing_permissions ?? [],
    disclosure: row.disclosure,
    simulated: row.simulated,
    enrolled_at: row.enrolled_at.toISOString(),
    last_contact_at: toInstant(row.last_contact_at),
  };
}
