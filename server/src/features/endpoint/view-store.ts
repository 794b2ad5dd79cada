import type { Cause } from '@svc/contracts/verdict';
import type { TenantSql } from '#relational';
import { type AgentReadings, emptyReadings, type Readings } from './domain/readings.ts';
import type { Sessions } from './domain/sessions.ts';

type Kind = 'text' | 'integer' | 'double precision' | 'timestamptz';

// The one list of the columns of readings: its order is the order of the statement's parameters.
const COLUMNS: readonly [keyof Readings, string, Kind][] = [
  ['connection', 'connection', 'text'],
  ['wifiAt', 'wifi_at', 'timestamptz'],
  ['wifiRssiDbm', 'wifi_rssi_dbm', 'double precision'],
  ['wifiRssiWhy', 'wifi_rssi_why', 'text'],
  ['wifiSignalPercent', 'wifi_signal_percent', 'double precision'],
  ['wifiSignalWhy', 'wifi_signal_why', 'text'],
  ['gatewayAt', 'gateway_at', 'timestamptz'],
  ['gatewayAddress', 'gateway_address', 'text'],
  ['gatewayRttMs', 'gateway_rtt_ms', 'double precision'],
  ['gatewayRttWhy', 'gateway_rtt_why', 'text'],
  ['gatewayLossRatio', 'gateway_loss_ratio', 'double precision'],
  ['gatewayLossWhy', 'gateway_loss_why', 'text'],
  ['ispAt', 'isp_at', 'timestamptz'],
  ['ispRttMs', 'isp_rtt_ms', 'double precision'],
  ['ispRttWhy', 'isp_rtt_why', 'text'],
  ['ispLossRatio', 'isp_loss_ratio', 'double precision'],
  ['ispLossWhy', 'isp_loss_why', 'text'],
  ['sessionAt', 'session_at', 'timestamptz'],
  ['worstSessionMs', 'worst_session_ms', 'double precision'],
  ['worstSessionWhy', 'worst_session_why', 'text'],
  ['worstSessionTarget', 'worst_session_target', 'text'],
  ['sessionsFailed', 'sessions_failed', 'integer'],
  ['sessionsJudged', 'sessions_judged', 'integer'],
  ['failedSessionTarget', 'failed_session_target', 'text'],
  ['failedSessionPhase', 'failed_session_phase', 'text'],
  ['causeAt', 'cause_at', 'timestamptz'],
  ['cause', 'cause', 'text'],
  ['summary', 'summary', 'text'],
  ['confidence', 'confidence', 'double precision'],
  ['verdictSince', 'verdict_since', 'timestamptz'],
  ['judged', 'judged', 'text'],
  ['health', 'health', 'text'],
  ['faultKind', 'fault_kind', 'text'],
];

const names = COLUMNS.map(([, column]) => column);

// Times come as milliseconds, so that no Date is made and taken apart for each of them.
const selected = COLUMNS.map(([, column, kind]) =>
  kind === 'timestamptz' ? `(extract(epoch FROM ${column}) * 1000)::double precision AS ${column}` : column,
).join(', ');

// Locked in the order of ids, as fleet's copies are: two writers never wait for each other crosswise.
const READ = `SELECT agent_id, ${selected} FROM endpoint_summary WHERE agent_id = ANY($1::uuid[]) ORDER BY agent_id FOR UPDATE`;

const assigned = names.map((column) => `${column} = u.${column}`).join(', ');
const arrays = COLUMNS.map(([, , kind], index) => `$${index + 2}::${kind === 'timestamptz' ? 'double precision' : kind}[]`).join(
  ', ',
);
const unpacked = COLUMNS.map(([, column, kind]) =>
  kind === 'timestamptz' ? `to_timestamp(v.${column} / 1000) AS ${column}` : `v.${column}`,
).join(', ');
const WRITE = `UPDATE endpoint_summary s SET ${assigned}
  FROM (SELECT v.agent_id, ${unpacked} FROM unnest($1::uuid[], ${arrays}) AS v(agent_id, ${names.join(', ')})) u
  WHERE s.tenant_id = current_setting('app.tenant_id') AND s.agent_id = u.agent_id`;

type Row = Record<string, unknown> & { agent_id: string };

function toReadings(row: Row): Readings {
  const readings = emptyReadings() as unknown as Record<string, unknown>;
  for (const [key, column] of COLUMNS) readings[key] = row[column];
  return readings as unknown as Readings & { cause: Cause | null };
}

/** What is known of these agents, locked until the transaction ends; agents that the fleet does not have are left out. */
export async function lockReadings(
  sql: TenantSql,
  agentIds: readonly string[],
  withSessions: ReadonlySet<string>,
): Promise<Map<string, AgentReadings>> {
  const { rows } = await sql.query<Row>({ name: 'endpoint-lock', text: READ, values: [agentIds] });
  const found = new Map<string, AgentReadings>();
  for (const row of rows) {
    const sessions = withSessions.has(row.agent_id) ? {} : undefined;
    found.set(row.agent_id, { readings: toReadings(row), sessions });
  }
  if (withSessions.size === 0) return found;
  const kept = await sql.query<{ agent_id: string; targets: Sessions }>(
    'SELECT agent_id, targets FROM endpoint_sessions WHERE agent_id = ANY($1::uuid[])',
    [[...withSessions]],
  );
  for (const { agent_id: id, targets } of kept.rows) {
    const agent = found.get(id);
    if (agent) agent.sessions = targets;
  }
  return found;
}

/** Writes changed readings back, whatever their number in two statements. */
export async function writeReadings(sql: TenantSql, changed: ReadonlyMap<string, AgentReadings>): Promise<void> {
  if (changed.size === 0) return;
  const agents = [...changed];
  const columns = COLUMNS.map(([key]) => agents.map(([, { readings }]) => readings[key]));
  await sql.query({ name: 'endpoint-write', text: WRITE, values: [agents.map(([id]) => id), ...columns] });
  const sessions = agents.filter(([, agent]) => agent.sessions !== undefined);
  if (sessions.length === 0) return;
  await sql.query(
    `INSERT INTO endpoint_sessions (tenant_id, agent_id, targets)
     SELECT current_setting('app.tenant_id'), u.id, u.targets FROM unnest($1::uuid[], $2::jsonb[]) AS u(id, targets)
     ON CONFLICT (tenant_id, agent_id) DO UPDATE SET targets = excluded.targets`,
    [sessions.map(([id]) => id), sessions.map(([, agent]) => JSON.stringify(agent.sessions))],
  );
}
