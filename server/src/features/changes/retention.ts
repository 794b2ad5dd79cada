import { KEPT_DAYS } from '@svc/contracts/changes/bounds';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import { type Relational, type SystemDoor, startTenantRounds } from '#relational';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_MS = 150_000;
const AT_ONCE = 5000;
/** How long a repeated delivery is known as one, and of how many of a webhook. */
const DELIVERY_DAYS = 7;
const MOST_DELIVERIES = 10_000;
const REFUSAL_DAYS = 30;
/** Of a tenant. Numbers leave no gap, so that they count. */
const MOST_CHANGES = 5_000_000;

const REMOVALS: readonly { text: string; days: number }[] = [
  // Since we heard of it: what happened long before is no older to us.
  {
    text: `DELETE FROM changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM changes WHERE received_at < $1 LIMIT ${AT_ONCE}))`,
    days: KEPT_DAYS,
  },
  {
    text: `DELETE FROM change_deliveries WHERE ctid = ANY (ARRAY(SELECT ctid FROM change_deliveries WHERE received_at < $1 LIMIT ${AT_ONCE}))`,
    days: DELIVERY_DAYS,
  },
  { text: `DELETE FROM change_refusals WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date`, days: REFUSAL_DAYS },
  {
    text: `DELETE FROM changes WHERE ctid = ANY (ARRAY(SELECT c.ctid FROM changes c, change_counters n WHERE n.tenant_id = c.tenant_id
      AND c.number <= n.last_number - ${MOST_CHANGES} AND $1::timestamptz IS NOT NULL LIMIT ${AT_ONCE}))`,
    days: 0,
  },
  {
    text: `DELETE FROM change_deliveries WHERE ctid = ANY (ARRAY(SELECT t.at FROM (SELECT d.ctid AS at, row_number() OVER
        (PARTITION BY d.webhook_id ORDER BY d.received_at DESC, d.delivery_id) AS place FROM change_deliveries d) t
      WHERE t.place > ${MOST_DELIVERIES} AND $1::timestamptz IS NOT NULL LIMIT ${AT_ONCE}))`,
    days: 0,
  },
];

/** Removes what is older than its retention, a few thousand rows in each transaction. */
export async function removeOld({ clock }: { clock: Clock }, tenant: TenantId, door: SystemDoor): Promise<void> {
  for (const { text, days } of REMOVALS) {
    const before = new Date(clock.now() - days * DAY_MS);
    for (let gone = AT_ONCE; gone === AT_ONCE; )
      gone = (await door.withTenantSql(tenant, (sql) => sql.query(text, [before]))).rowCount ?? 0;
  }
}

export const startRetention = (deps: { relational: Relational; clock: Clock; log: FastifyBaseLogger }) =>
  startTenantRounds(deps.relational, {
    name: 'changes-retention',
    everyMs: HOUR_MS,
    firstMs: FIRST_MS,
    visit: async (tenant, system) => await removeOld(deps, tenant, system),
    log: deps.log,
  });
