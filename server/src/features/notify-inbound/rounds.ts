import type { TenantId } from '#kernel';
import { type LeasedWork, type SystemDoor, startLeasedWork, startTenantRounds, visitTenants } from '#relational';
import type { InboundDeps } from './context.ts';
import { applyDelivery, readWaiting } from './ingest/deliveries.ts';

const EVERY_MS = 5000;
/** What has just come is done by the process that took it. */
const LEFT_MS = 4000;
/** Of one tenant and round: a provider that has to be asked and hangs is not waited for while others' deliveries wait. */
const TENANT_MS = 15_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_MS = 190_000;
const AT_ONCE = 5000;
export const DELIVERY_DAYS = 30;
export const MOST_DELIVERIES = 10_000;

/** Does what was stored and not done: after a crash, or while the database was away. */
export async function doWaiting(deps: InboundDeps, tenant: TenantId): Promise<number> {
  const before = new Date(deps.clock.now() - LEFT_MS);
  const waiting = await deps.relational.withSystemSql(tenant, (sql) => readWaiting(sql, { before }));
  const endMs = deps.clock.now() + TENANT_MS;
  for (const delivery of waiting) {
    if (deps.clock.now() > endMs) break;
    await applyDelivery(deps, tenant, delivery).catch((error: unknown) =>
      deps.log.warn({ err: error, tenant, webhook: delivery.webhook_id }, 'a delivery could not be done for now'),
    );
  }
  return waiting.length;
}

export const startDoing = (deps: InboundDeps): LeasedWork =>
  startLeasedWork(deps.relational, {
    name: 'notify-inbound',
    everyMs: EVERY_MS,
    log: deps.log,
    work: (fence) => visitTenants(deps, fence, async (tenant) => void (await doWaiting(deps, tenant))),
  });

const OLD = `DELETE FROM notify_inbound_deliveries WHERE ctid = ANY (ARRAY(SELECT ctid FROM notify_inbound_deliveries WHERE received_at < $1
  LIMIT ${AT_ONCE}))`;
const BEYOND = `DELETE FROM notify_inbound_deliveries WHERE ctid = ANY (ARRAY(SELECT t.at FROM (SELECT d.ctid AS at, row_number() OVER
  (PARTITION BY d.webhook_id ORDER BY d.received_at DESC, d.id) AS place FROM notify_inbound_deliveries d) t
  WHERE t.place > ${MOST_DELIVERIES} AND $1::timestamptz IS NOT NULL LIMIT ${AT_ONCE}))`;
const REFUSALS = `DELETE FROM notify_inbound_refusals WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date`;

export async function removeOld({ clock }: Pick<InboundDeps, 'clock'>, tenant: TenantId, door: SystemDoor): Promise<void> {
  const before = new Date(clock.now() - DELIVERY_DAYS * DAY_MS);
  await door.withTenantSql(tenant, (sql) => sql.query(REFUSALS, [before]));
  for (const text of [OLD, BEYOND])
    for (let gone = AT_ONCE; gone === AT_ONCE; )
      gone = (await door.withTenantSql(tenant, (sql) => sql.query(text, [before]))).rowCount ?? 0;
}

export const startRetention = (deps: InboundDeps) =>
  startTenantRounds(deps.relational, {
    name: 'notify-inbound-retention',
    everyMs: HOUR_MS,
    firstMs: FIRST_MS,
    visit: (tenant, system) => removeOld(deps, tenant, system),
    log: deps.log,
  });
