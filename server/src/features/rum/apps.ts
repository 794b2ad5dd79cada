import type { CreateApp, RotateKey, RumApp, UpdateApp } from '@svc/contracts/rum/apps';
import { canonicalPattern } from '@svc/contracts/rum/canonical-host';
import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { randomToken } from '#crypto';
import { AppError, actorOf, type Ctx } from '#kernel';
import { isUniqueViolation, type TenantSql } from '#relational';
import {
  type AppRow,
  countApps,
  deleteApp,
  findApp,
  insertApp,
  insertKey,
  listKeys,
  lockApps,
  retireKeys,
  updateApp,
} from './app-store.ts';
import type { RumContext } from './context.ts';
import { presentApps } from './present.ts';

/** Of a tenant: each key is held by every process. */
const MAX_APPS = 1000;
/** Of an app: so many may overlap. */
const MAX_KEYS = 10;
const HOUR_MS = 3_600_000;

/** 96 random bits: public, but nobody finds another's by trying. */
const newKey = (name: string): string => `app_${name.slice(0, 24)}_${randomToken(12)}`;

function readHosts(hosts: readonly string[]): string[] {
  const canonical = hosts.map((host, i) => {
    const pattern = canonicalPattern(host);
    if (pattern === undefined)
      throw new AppError('validation', 'A host of the app is not valid.', {
        faults: [{ path: `hosts.${i}`, message: 'must be a host name, or *. before one, without scheme and port' }],
      });
    return pattern;
  });
  return [...new Set(canonical)];
}

const demandApp = async (sql: TenantSql, id: string): Promise<AppRow> => {
  const app = await findApp(sql, id);
  if (!app) throw new AppError('not_found', 'There is no such app.');
  return app;
};

const note = async (
  context: RumContext,
  sql: TenantSql,
  entry: { ctx: Ctx; action: string; id: string; detail?: Record<string, string | number | boolean> },
): Promise<void> =>
  await context.appendAudit(sql, {
    actor: actorOf(entry.ctx.principal),
    action: entry.action,
    object: { type: 'rum_app', id: entry.id },
    detail: entry.detail ?? {},
  });

/** Runs a change, has every replica know it, and gives the app as lists show it. */
async function changed(context: RumContext, ctx: Ctx, change: (sql: TenantSql, now: Date) => Promise<AppRow>): Promise<RumApp> {
  const now = new Date(context.clock.now());
  const app = await context.relational.withTenantSql(ctx.principal.tenant, async (sql) => await change(sql, now));
  await context.registry.refresh();
  const [shown] = await presentApps(context, ctx.principal.tenant, [app]);
  if (!shown) throw new AppError('not_found', 'There is no such app.');
  return shown;
}

export async function createApp(context: RumContext, ctx: Ctx, input: z.output<typeof CreateApp>): Promise<RumApp> {
  const hosts = readHosts(input.hosts);
  const { tenant } = ctx.principal;
  // What is still to be counted of a former app of this name is its.
  await context.counters.flush(tenant);
  try {
    return await changed(context, ctx, async (sql, now) => {
      await lockApps(sql);
      if ((await countApps(sql)) >= MAX_APPS)
        throw new AppError('conflict', `A tenant has at most ${MAX_APPS} apps. Remove one first.`);
      const app: AppRow = {
        ...{ id: uuidv7(), name: input.name, hosts, rate_per_min: input.rate_per_min, configured: false },
        ...{ created_by: ctx.principal.id, created_at: now },
      };
      await insertApp(sql, tenant, app);
      await insertKey(sql, tenant, { key: newKey(app.name), appId: app.id, now });
      await note(context, sql, { ctx, action: 'rum_app.create', id: app.id });
      return app;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('conflict', 'There is an app of this name already.', { cause: error });
    throw error;
  }
}

export async function changeApp(context: RumContext, ctx: Ctx, input: z.output<typeof UpdateApp>): Promise<RumApp> {
  const hosts = input.hosts && readHosts(input.hosts);
  return await changed(context, ctx, async (sql) => {
    const before = await demandApp(sql, input.id);
    const app = {
      ...before,
      hosts: hosts ?? before.hosts,
      rate_per_min: input.rate_per_min === undefined ? before.rate_per_min : input.rate_per_min,
    };
    await updateApp(sql, app);
    await note(context, sql, { ctx, action: 'rum_app.update', id: app.id, detail: { hosts: app.hosts.length } });
    return app;
  });
}

/** A new key is the current one at once; what it replaces is taken for a while longer. */
export async function rotateKey(context: RumContext, ctx: Ctx, input: z.output<typeof RotateKey>): Promise<RumApp> {
  const { tenant } = ctx.principal;
  return await changed(context, ctx, async (sql, now) => {
    await lockApps(sql);
    const app = await demandApp(sql, input.id);
    const keys = await listKeys(sql, [app.id], now);
    if (keys.length >= MAX_KEYS && input.overlap_hours > 0)
      throw new AppError('conflict', `An app has at most ${MAX_KEYS} keys at once. Rotate without an overlap, or wait.`);
    await retireKeys(sql, { appId: app.id, at: new Date(now.getTime() + input.overlap_hours * HOUR_MS), now });
    await insertKey(sql, tenant, { key: newKey(app.name), appId: app.id, now });
    await note(context, sql, { ctx, action: 'rum_app.rotate', id: app.id, detail: { overlap_hours: input.overlap_hours } });
    return app;
  });
}

/** What came of it stays for as long as views are kept. */
export async function removeApp(context: RumContext, ctx: Ctx, id: string): Promise<void> {
  const { tenant } = ctx.principal;
  const now = new Date(context.clock.now());
  await context.relational.withTenantSql(tenant, async (sql) => {
    const app = await demandApp(sql, id);
    const keys = await listKeys(sql, [id], now);
    if (keys.some(({ key, configured }) => configured && context.registry.isConfigured(tenant, key)))
      throw new AppError('conflict', 'This app stands in SVC_RUM_APPS. Take it out there first.');
    await deleteApp(sql, app.id, now);
    await note(context, sql, { ctx, action: 'rum_app.remove', id: app.id });
  });
  await context.registry.refresh();
}
