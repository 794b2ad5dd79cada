import { startTenantRounds, type TenantSql } from '#relational';
import type { FleetContext } from '../context.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_LOOK_MS = 120_000;
/** Days that a token stays listed after it was used up, expired or revoked. */
const KEPT_DAYS = 30;
/** Dead tokens of a tenant at most: whoever mints and revokes in a loop drops the oldest ones sooner. */
const MAX_DEAD = 10_000;
/** In one transaction. */
const MAX_PURGED = 5000;
/** Living tokens of a tenant at most. */
export const MAX_LIVING = 10_000;

/** When a token ended, null while it lives; $1 is now. */
const ENDED_AT = `least(revoked_at, CASE WHEN used >= uses THEN coalesce(last_used_at, created_at) END,
  CASE WHEN expires_at <= $1 THEN expires_at END)`;

/** How many of the tenant's tokens live, and how many rows there are with the dead ones. */
export async function countTokens(sql: TenantSql, nowMs: number): Promise<{ living: number; kept: number }> {
  const { rows } = await sql.query<{ living: number; kept: number }>(
    `SELECT count(*) FILTER (WHERE ${ENDED_AT} IS NULL)::int AS living, count(*)::int AS kept FROM enrol_tokens`,
    [new Date(nowMs)],
  );
  return rows[0] ?? { living: 0, kept: 0 };
}

/**
 * Removes the transaction's tenant's tokens that ended more than 30 days ago, or beyond the 10,000 that ended last, at most 5,000 at
 * once; gives how many. Agents that enrolled with one go on: an agent only remembers its token's id, and the audit trail has its story.
 */
export async function purgeTokens(sql: TenantSql, nowMs: number): Promise<number> {
  const { rows } = await sql.query<{ id: string }>(
    `WITH ended AS (SELECT id, ${ENDED_AT} AS at FROM enrol_tokens),
       ranked AS (SELECT id, at, row_number() OVER (ORDER BY at DESC, id DESC) AS place FROM ended WHERE at IS NOT NULL)
     DELETE FROM enrol_tokens t USING (SELECT id FROM ranked WHERE at < $2 OR place > ${MAX_DEAD} LIMIT ${MAX_PURGED}) gone
     WHERE t.id = gone.id RETURNING t.id`,
    [new Date(nowMs), new Date(nowMs - KEPT_DAYS * DAY_MS)],
  );
  const ids = rows.map(({ id }) => id);
  await sql.query('SELECT directory_remove_enrol_token(id) FROM unnest($1::uuid[]) AS id', [ids]);
  return ids.length;
}

/** Whether so many dead tokens are kept that the next mint makes room. */
export const arePurgesDue = ({ living, kept }: { living: number; kept: number }): boolean => kept - living > MAX_DEAD;

/** Looks at every tenant once an hour, on the one process that has the lease. */
export const startPurging = ({ relational, clock, log }: Pick<FleetContext, 'relational' | 'clock' | 'log'>) =>
  startTenantRounds(relational, {
    name: 'enrol-token-purge',
    everyMs: HOUR_MS,
    firstMs: FIRST_LOOK_MS,
    log,
    async visit(tenant, system) {
      while ((await system.withTenantSql(tenant, (sql) => purgeTokens(sql, clock.now()))) === MAX_PURGED);
    },
  });
