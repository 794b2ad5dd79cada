import type { CanaryType } from '@svc/contracts/canonical-result';
import type { StoredResult } from './queries.ts';

/** One row as `RESULT_COLUMNS` selects it. */
export interface ResultRow {
  id: string;
  type: CanaryType;
  agent: string;
  at: number;
  test: string;
  address: string;
  port: number;
  target: string;
  present: number;
  success: number;
  error: string;
  duration: number | null;
  metrics: Record<string, number>;
  attributes: Record<string, string>;
}

export const RESULT_COLUMNS = `toString(result_id) AS id, canary_type AS type, agent_id AS agent, toUnixTimestamp64Milli(ts) AS at,
  test_id AS test, server_address AS address, server_port AS port, target, present, success, error, duration_ms AS duration, metrics, attributes`;

const AGENT_IN_WINDOW = `tenant_id = {tenant:String} AND agent_id = {agent:String}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})`;

/** Of each agent, type and target the newest, however often an older one came again. */
export const LATEST = `SELECT ${RESULT_COLUMNS} FROM latest_results
  WHERE tenant_id = {tenant:String} AND agent_id IN {agents:Array(String)} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64})
  ORDER BY agent_id, canary_type, target, ts DESC, result_id DESC LIMIT 1 BY agent_id, canary_type, target`;

export const historySql = (conditions: { type: boolean; target: boolean }): string => `SELECT ${RESULT_COLUMNS} FROM results
  WHERE ${AGENT_IN_WINDOW}${conditions.type ? ' AND canary_type = {type:String}' : ''}${conditions.target ? ' AND target = {target:String}' : ''}
  ORDER BY ts DESC, result_id DESC LIMIT 1 BY result_id LIMIT {limit:UInt32}`;

/** Of each agent and step the cause with most verdicts, the later on a tie; a verdict delivered twice counts once. */
export const CAUSE_STRIP = `SELECT agent, groupArray(step) AS steps, groupArray(ruling) AS causes FROM (
  SELECT agent, step, argMax(cause, (verdicts, last)) AS ruling FROM (
    SELECT agent, intDiv(toUnixTimestamp64Milli(ts) - {fromMs:Int64}, {stepMs:Int64}) AS step, cause, count() AS verdicts, max(ts) AS last FROM (
      SELECT agent_id AS agent, ts, cause FROM results
      WHERE tenant_id = {tenant:String} AND canary_type = 'endpoint.attribution' AND agent_id IN {agents:Array(String)}
        AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64}) AND cause != ''
      LIMIT 1 BY result_id)
    GROUP BY agent, step, cause)
  GROUP BY agent, step)
  GROUP BY agent`;

export const SLOW_BY_STEP = `SELECT intDiv(toUnixTimestamp64Milli(ts) - {fromMs:Int64}, {stepMs:Int64}) AS step, uniqExact(agent_id) AS agents
  FROM results WHERE tenant_id = {tenant:String} AND canary_type = 'endpoint.attribution' AND cause IN ('wifi', 'local', 'isp', 'network')
    AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
  GROUP BY step`;

export const VERDICTS = `SELECT toUnixTimestamp64Milli(ts) AS at, cause FROM results
  WHERE ${AGENT_IN_WINDOW} AND canary_type = 'endpoint.attribution' AND cause != ''
  ORDER BY ts, result_id LIMIT 1 BY result_id`;

/** A stored row as the port gives it: what was not sent is absent, not empty. */
export function toStoredResult(row: ResultRow): StoredResult {
  return {
    resultId: row.id,
    agentId: row.agent,
    type: row.type,
    target: row.target,
    startedAtMs: row.at,
    present: row.present === 1,
    metrics: row.metrics,
    attributes: row.attributes,
    ...(row.test === '' ? {} : { testId: row.test }),
    ...(row.address === '' ? {} : { serverAddress: row.address }),
    ...(row.port === 0 ? {} : { serverPort: row.port }),
    ...(row.success === 2 ? {} : { success: row.success === 1 }),
    ...(row.error === '' ? {} : { error: row.error }),
    ...(row.duration === null ? {} : { durationMs: row.duration }),
  };
}
