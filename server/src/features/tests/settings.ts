import type { TestSettings } from '@svc/contracts/tests/keeping';
import { AppError, actorOf, type Ctx, type TenantId } from '#kernel';
import { asSystem, type TenantSql } from '#relational';
import type { TestsContext } from './context.ts';
import { tellReplicas } from './store.ts';

/** Until a tenant chooses others. */
export const DEFAULT_SETTINGS: TestSettings = {
  failing_after: 3,
  certificate_warning_days: 21,
  certificate_critical_days: 7,
  not_running_intervals: 3,
  not_running_minutes: 5,
};

interface Row {
  version: number;
  settings: Partial<TestSettings>;
}

const readRow = async (sql: TenantSql): Promise<Row | undefined> =>
  (await sql.query<Row>('SELECT version, settings FROM synthetic_test_settings')).rows[0];

export const readSettings = async (sql: TenantSql): Promise<TestSettings> => ({
  ...DEFAULT_SETTINGS,
  ...(await readRow(sql))?.settings,
});

export const readTenantSettings = ({ relational }: Pick<TestsContext, 'relational'>, tenant: TenantId): Promise<TestSettings> =>
  asSystem(relational).withTenantSql(tenant, readSettings);

/** Thresholds for the whole tenant; the trail has what they were and are. */
export async function writeSettings(
  { relational, clock, appendAudit }: TestsContext,
  ctx: Ctx,
  settings: TestSettings,
): Promise<TestSettings> {
  if (settings.certificate_critical_days >= settings.certificate_warning_days)
    throw new AppError('validation', 'A certificate becomes critical later than it is warned of.', {
      faults: [{ path: 'certificate_critical_days', message: 'Fewer days than those of the warning.' }],
    });
  return await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const before = await readSettings(sql);
    await sql.query(
      `INSERT INTO synthetic_test_settings (tenant_id, version, settings, updated_at) VALUES (current_setting('app.tenant_id'), 1, $1, $2)
       ON CONFLICT (tenant_id) DO UPDATE SET version = synthetic_test_settings.version + 1, settings = excluded.settings,
         updated_at = excluded.updated_at`,
      [JSON.stringify(settings), new Date(clock.now())],
    );
    const detail: Record<string, number> = {};
    for (const key of Object.keys(settings) as (keyof TestSettings)[]) {
      if (before[key] === settings[key]) continue;
      detail[`${key}_before`] = before[key];
      detail[key] = settings[key];
    }
    await appendAudit(sql, { actor: actorOf(ctx.principal), action: 'test_settings.set', detail });
    await tellReplicas(sql);
    return settings;
  });
}
