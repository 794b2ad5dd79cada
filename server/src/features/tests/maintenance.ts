import type { MaintenanceSpec, MaintenanceWindow } from '@svc/contracts/tests/keeping';
import { uuidv7 } from 'uuidv7';
import { AppError, actorOf, type Ctx, type Fault, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { TestsContext } from './context.ts';
import { describeWindow, findWindow, type Subject } from './domain/maintained.ts';
import { isActive, nextSpan } from './domain/maintenance-times.ts';
import { isZone } from './domain/zone-times.ts';
import { namedBy } from './people.ts';
import { findTest, tellReplicas } from './store.ts';
import { readWindows, type WindowRow } from './window-cache.ts';

const MAX_WINDOWS = 500;
/** A window of once is shown for so long after its end. */
const KEPT_AFTER_END = "interval '30 days'";

function toView({ id, name, spec, created_at }: WindowRow, nowMs: number): Omit<MaintenanceWindow, 'created_by'> {
  const next = nextSpan(spec.times, spec.zone, nowMs);
  return {
    ...{ id, name, ...spec, created_at: created_at.toISOString() },
    active: isActive(spec.times, spec.zone, nowMs),
    next: next ? { from: new Date(next.fromMs).toISOString(), to: new Date(next.toMs).toISOString() } : null,
  };
}

async function present(context: TestsContext, tenant: TenantId, rows: readonly WindowRow[]): Promise<MaintenanceWindow[]> {
  const by = await namedBy(
    context,
    tenant,
    rows.map((row) => row.created_by),
  );
  return rows.map((row) => ({ ...toView(row, context.clock.now()), created_by: by(row.created_by) }));
}

async function presentOne(context: TestsContext, ctx: Ctx, row: WindowRow): Promise<MaintenanceWindow> {
  const [window] = await present(context, ctx.principal.tenant, [row]);
  if (!window) throw new AppError('internal', 'The window is not there.');
  return window;
}

/** The words of the window that holds back what is told of a subject; null for none. */
export async function heldBackBy(
  { windows }: Pick<TestsContext, 'windows'>,
  tenant: TenantId,
  { at, ...subject }: Subject & { at: Date },
): Promise<string | null> {
  const window = findWindow(await windows.read(tenant), subject, at.getTime());
  return window ? describeWindow(window, at.getTime()) : null;
}

function demandTimes({ times, zone }: MaintenanceSpec): void {
  const faults: Fault[] = [];
  if (!isZone(zone))
    faults.push({ path: 'zone', message: `“${zone.slice(0, 64)}” is no time zone. Write one such as Europe/Lisbon.` });
  if (times.repeat === 'once' && Date.parse(times.to) <= Date.parse(times.from))
    faults.push({ path: 'times.to', message: 'A window ends after it begins.' });
  if (faults.length > 0) throw new AppError('validation', 'The window is not valid.', { faults });
}

const endOf = ({ times }: MaintenanceSpec): Date | null => (times.repeat === 'once' ? new Date(times.to) : null);

async function changing<Answer>(context: TestsContext, ctx: Ctx, work: (sql: TenantSql) => Promise<Answer>): Promise<Answer> {
  const { tenant } = ctx.principal;
  try {
    return await context.relational.withTenantSql(tenant, async (sql) => {
      const answer = await work(sql);
      await tellReplicas(sql);
      return answer;
    });
  } finally {
    context.windows.drop(tenant);
  }
}

const note = async (
  { appendAudit }: TestsContext,
  sql: TenantSql,
  { ctx, action, id }: { ctx: Ctx; action: string; id: string },
): Promise<void> => await appendAudit(sql, { actor: actorOf(ctx.principal), action, object: { type: 'maintenance_window', id } });

export async function listWindows(
  context: TestsContext,
  { principal: { tenant } }: Ctx,
): Promise<{ items: MaintenanceWindow[] }> {
  const rows = await context.relational.withTenantSql(tenant, readWindows);
  return { items: await present(context, tenant, rows) };
}

/** Until the transaction ends: else each of several at once counts room for one more. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('maintenance-windows/' || current_setting('app.tenant_id'), 0))";

export async function createWindow(context: TestsContext, ctx: Ctx, spec: MaintenanceSpec): Promise<MaintenanceWindow> {
  demandTimes(spec);
  const { name, ...rest } = spec;
  const row: WindowRow = {
    id: uuidv7(),
    name,
    spec: rest,
    created_by: ctx.principal.id,
    created_at: new Date(context.clock.now()),
  };
  await changing(context, ctx, async (sql) => {
    if (spec.scope.kind === 'test') await findTest(sql, spec.scope.test_id);
    const now = new Date(context.clock.now());
    await sql.query(LOCK);
    await sql.query(`DELETE FROM maintenance_windows WHERE ends_at < $1::timestamptz - ${KEPT_AFTER_END}`, [now]);
    const { rows } = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM maintenance_windows');
    if ((rows[0]?.n ?? 0) >= MAX_WINDOWS)
      throw new AppError('conflict', `A tenant has at most ${MAX_WINDOWS} maintenance windows. Delete some first.`);
    await sql.query(
      `INSERT INTO maintenance_windows (tenant_id, id, name, spec, created_by, created_at, updated_at, ends_at)
       VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5, $5, $6)`,
      [row.id, name, JSON.stringify(rest), row.created_by, row.created_at, endOf(spec)],
    );
    await note(context, sql, { ctx, action: 'maintenance.create', id: row.id });
  });
  return await presentOne(context, ctx, row);
}

export async function updateWindow(
  context: TestsContext,
  ctx: Ctx,
  { id, ...spec }: MaintenanceSpec & { id: string },
): Promise<MaintenanceWindow> {
  demandTimes(spec);
  const { name, ...rest } = spec;
  const changed = await changing(context, ctx, async (sql) => {
    if (spec.scope.kind === 'test') await findTest(sql, spec.scope.test_id);
    const { rows } = await sql.query<WindowRow>(
      `UPDATE maintenance_windows SET name = $2, spec = $3, updated_at = $4, ends_at = $5 WHERE id = $1
       RETURNING id, name, spec, created_by, created_at`,
      [id, name, JSON.stringify(rest), new Date(context.clock.now()), endOf(spec)],
    );
    const [row] = rows;
    if (!row) throw new AppError('not_found', 'There is no such maintenance window.');
    await note(context, sql, { ctx, action: 'maintenance.update', id });
    return row;
  });
  return await presentOne(context, ctx, changed);
}

export async function removeWindow(context: TestsContext, ctx: Ctx, { id }: { id: string }): Promise<void> {
  await changing(context, ctx, async (sql) => {
    const { rowCount } = await sql.query('DELETE FROM maintenance_windows WHERE id = $1', [id]);
    if (rowCount === 0) throw new AppError('not_found', 'There is no such maintenance window.');
    await note(context, sql, { ctx, action: 'maintenance.remove', id });
  });
}
