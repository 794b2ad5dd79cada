import { AppError } from '#kernel';
import type { FleetVerbs } from './api.ts';
import type { FleetContext } from './context.ts';

/** Channel on which a replica asks the one that holds a device's stream: `<tenant>/<agent>`. */
export const RUN_NOW_CHANNEL = 'svc_agent_run_now';
const CONNECTED_WITHIN_MS = 2 * 60_000;

/** Asks a device to measure now, whichever replica it is connected to; `not_found` for one that this tenant does not have. */
export const createRunNow =
  (context: FleetContext, connect: { runNow(tenant: string, agentId: string): boolean }): FleetVerbs['runNow'] =>
  async (ctx, { id }) => {
    const { tenant } = ctx.principal;
    const lastContactAt = await context.relational.withTenantSql(tenant, async (sql) => {
      const { rows } = await sql.query<{ last_contact_at: Date | null }>(
        'SELECT last_contact_at FROM agents WHERE id = $1 AND revoked_at IS NULL AND retired_at IS NULL',
        [id],
      );
      if (!rows[0]) throw new AppError('not_found', 'There is no such device.');
      return rows[0].last_contact_at;
    });
    if (connect.runNow(tenant, id)) return { connected: true };
    await context.relational.withTenantSql(tenant, async (sql) => {
      await sql.query('SELECT pg_notify($1, $2)', [RUN_NOW_CHANNEL, `${tenant}/${id}`]);
    });
    const silentMs = lastContactAt ? context.clock.now() - lastContactAt.getTime() : Number.POSITIVE_INFINITY;
    return { connected: silentMs < CONNECTED_WITHIN_MS };
  };
