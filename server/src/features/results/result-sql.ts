import type { CanaryType } from '@svc/contracts/results/canonical-result';
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

/** Of one agent, in a window. */
export const AGENT_IN_WINDOW = `tenant_id = {tenant:String} AND agent_id = {agent:String}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})`;

/** Of each agent, type and target the newest, however often an older one came again. */
export const LATEST = `SELECT ${RESULT_COLUMNS} FROM latest_results
  WHERE tenant_id = {tenant:String} AND agent_id IN {agents:Array(String)} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64})
  ORDER BY agent_id, canary_type, target, ts DESC, result_id DESC LIMIT 1 BY agent_id, canary_type, target`;

const BEFORE = `ts <= fromUnixTimestamp64Milli({beforeMs:Int64})
    AND (ts < fromUnixTimestamp64Milli({beforeMs:Int64}) OR result_id < {beforeId:UUID})`;

export const historySql = (conditions: {
  type: boolean;
  target: boolean;
  before: boolean;
}): string => `SELECT ${RESULT_COLUMNS} FROM results
  WHERE ${AGENT_IN_WINDOW}${conditions.type ? ' AND canary_type = {type:String}' : ''}${conditions.target ? ' AND target = {target:String}' : ''}${conditions.before ? ` AND ${BEFORE}` : ''}
  ORDER BY ts DESC, result_id DESC LIMIT 1 BY result_id LIMIT {limit:UInt32}`;

/** Results of a window on from one of them, in the order of the table. */
export const EXPORT_RESULTS = `SELECT ${RESULT_COLUMNS} FROM results
  WHERE tenant_id = {tenant:String} AND canary_type >= {type:String}
    AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
    AND (canary_type > {type:String} OR agent_id > {agent:String} OR (agent_id = {agent:String}
      AND (ts > fromUnixTimestamp64Milli({at:Int64}) OR (ts = fromUnixTimestamp64Milli({at:Int64}) AND result_id > {id:UUID}))))
  ORDER BY canary_type, agent_id, ts, result_id LIMIT 1 BY canary_type, agent_id, ts, result_id LIMIT {limit:UInt32}`;

const HOUR_MS = 3_600_000;

/** Bits of the minutes with a verdict, of each agent, cause and hour that the window touches. */
const hoursOf = (where: string): string => `SELECT agent_id, cause, hour, groupBitOr(minutes) AS bits FROM cause_hours
  WHERE tenant_id = {tenant:String} AND ${where}
    AND hour >= intDiv({fromMs:Int64}, ${HOUR_MS}) AND hour <= intDiv({toMs:Int64} - 1, ${HOUR_MS})
  GROUP BY agent_id, cause, hour`;

/** One row a minute; a window that begins within a minute takes the whole of it. */
const minutesOf = (where: string): string => `SELECT agent_id, cause, minute FROM (
    SELECT agent_id, cause, hour * 60 + arrayJoin(bitPositionsToArray(bits)) AS minute FROM (${hoursOf(where)}))
  WHERE minute >= intDiv({fromMs:Int64}, 60000) AND minute * 60000 < {toMs:Int64}`;

const HOUR_STEP = `intDiv(hour * ${HOUR_MS} - {fromMs:Int64}, {stepMs:Int64}) AS step`;
const MINUTE_STEP = 'intDiv(greatest(minute * 60000 - {fromMs:Int64}, 0), {stepMs:Int64}) AS step';

/** True where the bits of whole hours answer by themselves: a third of the cost of going over their minutes. */
const isWholeHours = ({ fromMs, toMs, stepMs }: Steps): boolean => [fromMs, toMs, stepMs].every((value) => value % HOUR_MS === 0);

interface Steps {
  fromMs: number;
  toMs: number;
  stepMs: number;
}

/** Of each agent and step the cause of most minutes, the later on a tie. */
export function causeStripSql(steps: Steps): string {
  const agents = 'agent_id IN {agents:Array(String)}';
  const counted = isWholeHours(steps)
    ? `SELECT agent_id, ${HOUR_STEP}, cause, sum(bitCount(bits)) AS verdicts, max((hour, bits)) AS last FROM (${hoursOf(agents)})`
    : `SELECT agent_id, ${MINUTE_STEP}, cause, count() AS verdicts, max(minute) AS last FROM (${minutesOf(agents)})`;
  return `SELECT agent, groupArray(step) AS steps, groupArray(ruling) AS causes FROM (
    SELECT agent_id AS agent, step, argMax(cause, (verdicts, last)) AS ruling FROM (${counted} GROUP BY agent_id, step, cause)
    GROUP BY agent_id, step) GROUP BY agent`;
}

/** Agents with a slow verdict in each step. */
export function slowByStepSql(steps: Steps): string {
  const slow = "cause IN ('wifi', 'local', 'isp', 'network')";
  const rows = isWholeHours(steps)
    ? `SELECT agent_id, ${HOUR_STEP} FROM (${hoursOf(slow)})`
    : `SELECT agent_id, ${MINUTE_STEP} FROM (${minutesOf(slow)})`;
  return `SELECT step, uniqExact(agent_id) AS agents FROM (${rows}) GROUP BY step`;
}

export const VERDICTS = `SELECT toUnixTimestamp64Milli(ts) AS at, any(cause) AS cause FROM results
  WHERE ${AGENT_IN_WINDOW} AND canary_type = 'endpoint.attribution' AND results.cause != ''
  GROUP BY ts ORDER BY ts`;

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
