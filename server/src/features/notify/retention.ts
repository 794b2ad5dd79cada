import type { TenantId } from '#kernel';
import { type SystemDoor, startTenantRounds } from '#relational';
import type { NotifyDeps } from './context.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_MS = 170_000;
const AT_ONCE = 5000;
export const KEPT_DAYS = 90;
/** Of a tenant: beyond, the oldest that are done go first. */
const MOST_MESSAGES = 500_000;

const DONE = "state NOT IN ('waiting', 'confirming')";
const OLD = `DELETE FROM notify_outbox WHERE ctid = ANY (ARRAY(SELECT ctid FROM notify_outbox WHERE created_at < $1 AND ${DONE} LIMIT ${AT_ONCE}))`;
const BEYOND = `DELETE FROM notify_outbox WHERE ctid = ANY (ARRAY(SELECT ctid FROM notify_outbox WHERE ${DONE} ORDER BY created_at DESC, id DESC
  OFFSET ${MOST_MESSAGES} LIMIT ${AT_ONCE}))`;
const EXPIRED = `UPDATE notify_outbox SET state = 'dead', why = 'it was not taken within a day', done_at = $1, lease_id = NULL, lease_until = NULL
  WHERE state = 'waiting' AND expires_at < $1 AND (lease_until IS NULL OR lease_until < clock_timestamp())`;
const REMOVED = `DELETE FROM notify_connectors c WHERE c.deleted_at < $1
  AND NOT EXISTS (SELECT FROM notify_links l WHERE l.tenant_id = c.tenant_id AND l.connector_id = c.id)`;

/** Removes what is older than its retention; what nobody sends any more is dead after a day: gives how many. Links go with their incidents. */
export async function removeOld({ clock }: Pick<NotifyDeps, 'clock'>, tenant: TenantId, door: SystemDoor): Promise<number> {
  const nowMs = clock.now();
  const old = new Date(nowMs - KEPT_DAYS * DAY_MS);
  const { rowCount: dead } = await door.withTenantSql(tenant, (sql) => sql.query(EXPIRED, [new Date(nowMs)]));
  const removals: readonly [string, Date[]][] = [
    [OLD, [old]],
    [BEYOND, []],
  ];
  for (const [text, values] of removals)
    for (let gone = AT_ONCE; gone === AT_ONCE; )
      gone = (await door.withTenantSql(tenant, (sql) => sql.query(text, values))).rowCount ?? 0;
  await door.withTenantSql(tenant, (sql) => sql.query(REMOVED, [old]));
  return dead ?? 0;
}

export const startRetention = (deps: NotifyDeps, onDead: (tenant: TenantId, count: number) => void) =>
  startTenantRounds(deps.relational, {
    name: 'notify-retention',
    everyMs: HOUR_MS,
    firstMs: FIRST_MS,
    visit: async (tenant, system) => onDead(tenant, await removeOld(deps, tenant, system)),
    log: deps.log,
  });
