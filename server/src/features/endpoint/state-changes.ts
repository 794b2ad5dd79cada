import type { TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { TimeWindow } from './context.ts';
import { findSilences, type Silence, type StateChange } from './domain/silences.ts';

/** Changes are kept a day longer than a device page can look back. */
const KEEP = "interval '32 days'";

// Against the view's row as it is before this transaction writes it. A running agent that never was anything else leaves no row here;
// one that is silent and has none is noted also without a change, since it came so.
const NOTE = `WITH told AS (
    SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::timestamptz[]) AS u(agent_id, at, state, paused_until))
  INSERT INTO endpoint_states AS e (tenant_id, agent_id, at, state, paused_until)
  SELECT s.tenant_id, t.agent_id, coalesce(t.at, now()), t.state, t.paused_until
  FROM told t JOIN endpoint_summary s ON s.tenant_id = current_setting('app.tenant_id') AND s.agent_id = t.agent_id
  WHERE (s.state, s.paused_until) IS DISTINCT FROM (t.state, t.paused_until)
    OR (t.state <> 'running' AND NOT EXISTS (
      SELECT 1 FROM endpoint_states e WHERE e.tenant_id = s.tenant_id AND e.agent_id = t.agent_id))
  ON CONFLICT (tenant_id, agent_id, at) DO UPDATE SET state = excluded.state, paused_until = excluded.paused_until
  RETURNING e.agent_id`;

// The newest of the old ones stays: it is the state that the window begins with.
const FORGET = `DELETE FROM endpoint_states e WHERE e.agent_id = ANY($1::uuid[]) AND e.at < now() - ${KEEP}
  AND EXISTS (SELECT 1 FROM endpoint_states n WHERE n.tenant_id = e.tenant_id AND n.agent_id = e.agent_id
    AND n.at > e.at AND n.at < now() - ${KEEP})`;

/** An agent with the state it told. */
export interface StatedAgent {
  agentId: string;
  state: string;
  pausedUntil: Date | null;
  lastContactAt: Date | null;
}

/** Notes which agents changed their state, beside the copies of the same transaction; call it before they are written. */
export async function noteStateChanges(sql: TenantSql, agents: readonly StatedAgent[]): Promise<void> {
  const of = <T>(pick: (agent: StatedAgent) => T): T[] => agents.map(pick);
  const values = [of((a) => a.agentId), of((a) => a.lastContactAt), of((a) => a.state), of((a) => a.pausedUntil)];
  const { rows } = await sql.query<{ agent_id: string }>({ name: 'endpoint-states', text: NOTE, values });
  if (rows.length > 0) await sql.query(FORGET, [rows.map((row) => row.agent_id)]);
}

interface ChangeRow {
  agent_id: string;
  at: Date;
  state: string;
  paused_until: Date | null;
}

/** Stretches in which agents were paused or declined, oldest first; an agent without any has no entry. */
export async function readSilences(
  relational: Relational,
  tenant: TenantId,
  { agentIds, ...window }: TimeWindow & { agentIds: readonly string[] },
): Promise<Map<string, Silence[]>> {
  const text = `SELECT agent_id, at, state, paused_until FROM endpoint_states
    WHERE agent_id = ANY($1::uuid[]) AND at < $2 ORDER BY agent_id, at`;
  const { rows } = await relational.withTenantSql(
    tenant,
    async (sql) => await sql.query<ChangeRow>(text, [agentIds, new Date(window.toMs)]),
  );
  const changes = new Map<string, StateChange[]>();
  for (const { agent_id: id, at, state, paused_until: until } of rows) {
    const own = changes.get(id) ?? [];
    changes.set(id, own);
    own.push({ atMs: at.getTime(), state, pausedUntilMs: until?.getTime() ?? null });
  }
  return new Map([...changes].map(([id, own]) => [id, findSilences(own, window)]));
}
