import type { TenantId } from '#kernel';
import type { Relational } from '#relational';

/** What the database says of an agent: whether it may speak. */
export type AgentStanding = 'trusted' | 'revoked' | 'retired' | 'unknown';
type Asked = PromiseWithResolvers<AgentStanding>;

/** Connections of the pool that agents may take together: after a restart all of them come at once, and people still want answers. */
const READS_AT_ONCE = 2;

/**
 * Reads the standing of agents, all that wait in one statement a tenant. Whoever asks is answered by a read that began after they
 * asked. Rejects with AppError `unavailable` when the database does not answer.
 */
export function createStandingReader(relational: Pick<Relational, 'withTenantSql'>) {
  const waiting = new Map<TenantId, Map<string, Asked>>();
  let reading = 0;

  const read = async (tenant: TenantId, agents: ReadonlyMap<string, Asked>): Promise<void> => {
    try {
      const rows = await relational.withTenantSql(tenant, async (sql) => {
        const text = `SELECT id, CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN retired_at IS NOT NULL THEN 'retired' ELSE 'trusted' END
          AS standing FROM agents WHERE id = ANY ($1::uuid[])`;
        return (await sql.query<{ id: string; standing: AgentStanding }>(text, [[...agents.keys()]])).rows;
      });
      const standings = new Map(rows.map(({ id, standing }) => [id, standing]));
      for (const [id, asked] of agents) asked.resolve(standings.get(id) ?? 'unknown');
    } catch (error) {
      for (const asked of agents.values()) asked.reject(error);
    }
  };

  const pump = (): void => {
    while (reading < READS_AT_ONCE) {
      const [next] = waiting;
      if (!next) return;
      waiting.delete(next[0]);
      reading += 1;
      void read(...next).finally(() => {
        reading -= 1;
        pump();
      });
    }
  };

  return async (tenant: TenantId, agentId: string): Promise<AgentStanding> => {
    const agents = waiting.get(tenant) ?? new Map<string, Asked>();
    waiting.set(tenant, agents);
    const asked = agents.get(agentId) ?? Promise.withResolvers<AgentStanding>();
    agents.set(agentId, asked);
    pump();
    return await asked.promise;
  };
}
