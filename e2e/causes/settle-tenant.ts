import { randomUUID } from 'node:crypto';
import type { Test } from '@svc/contracts/tests/test';
import type { Scenario } from '@svc/simulator/causes/scenario';
import { parseTenantId, type TenantId } from '../../server/src/kernel/index.ts';
import { createTenant } from '../../server/src/relational/index.ts';
import type { CausesProduct } from './open-product.ts';

/** A tenant that has what a scenario says: tests, places that run them, devices, a webhook. */
export interface Played {
  scenario: Scenario;
  tenant: TenantId;
  /** When its harm begins, Unix milliseconds. */
  onsetMs: number;
  tests: ReadonlyMap<string, Test>;
  /** Ids of the places that run tests, by name. */
  runners: ReadonlyMap<string, string>;
  devices: readonly { id: string; site: string }[];
  webhooks: Readonly<Record<'generic' | 'forge_a', { id: string; secret: string }>>;
  /** Labels of changes that were delivered. */
  delivered: Set<string>;
}

const RUNNER = `INSERT INTO runners (tenant_id, id, key_hash, public_key, name, protocol, enrolled_at, cert_not_after, connected_at, contact_at)
  VALUES (current_setting('app.tenant_id'), $1, sha256($2::bytea), $2::bytea, $3, 1, $4::timestamptz, $4::timestamptz + interval '90 days', $4::timestamptz, $4::timestamptz)`;

async function addRunners(
  { relational }: CausesProduct,
  tenant: TenantId,
  { names, nowMs }: { names: readonly string[]; nowMs: number },
) {
  const runners = new Map(names.map((name) => [name, randomUUID()]));
  await relational.withTenantSql(tenant, async (sql) => {
    for (const [name, id] of runners) await sql.query(RUNNER, [id, Buffer.from(id), name, new Date(nowMs)]);
  });
  return runners;
}

/** Places that run tests are connected as long as something comes of them. */
export async function contactRunners(
  { relational }: CausesProduct,
  { tenant }: Pick<Played, 'tenant'>,
  nowMs: number,
): Promise<void> {
  await relational.withTenantSql(tenant, (sql) => sql.query('UPDATE runners SET contact_at = $1', [new Date(nowMs)]));
}

/** What the fleet tells of devices that it heard of just now. */
export async function contactDevices(
  { product, relational }: CausesProduct,
  { tenant, devices, scenario }: Pick<Played, 'tenant' | 'devices' | 'scenario'>,
  nowMs: number,
): Promise<void> {
  if (devices.length === 0) return;
  const at = new Date(nowMs);
  const copies = devices.map(({ id, site }, place) => ({
    ...{
      agentId: id,
      name: `laptop-${place}`,
      owner: null,
      site,
      os: 'linux',
      osVersion: '1',
      agentVersion: '1.0.0',
      ring: 'main',
    },
    ...{ state: 'running', pausedUntil: null, simulated: true, enrolledAt: new Date(nowMs - scenario.seed), lastContactAt: at },
    ...{ clockSkewMs: 0, face: null, missingPermissions: [], disclosure: null },
  }));
  await relational.withTenantSql(tenant, (sql) => product.slices.endpoint.writeAgentCopies(sql, copies));
}

export async function settleTenant(
  causes: CausesProduct,
  scenario: Scenario,
  { id, nowMs, onsetMs }: { id: string; nowMs: number; onsetMs: number },
): Promise<Played> {
  const tenant = parseTenantId(id);
  await createTenant(causes.relational, { id: tenant, name: scenario.name });
  const caller = causes.callerOf(tenant);
  const { estate } = scenario;
  const runners = await addRunners(causes, tenant, { names: [...new Set(estate.tests.flatMap((one) => one.runners))], nowMs });
  const tests = new Map<string, Test>();
  for (const { name, target, runners: places } of estate.tests) {
    const named = { mode: 'named' as const, runners: places.map((place) => runners.get(place) ?? '') };
    const { test } = await caller.tests.create({
      test: { name, type: 'https', target, interval_seconds: 60, runners: named, params: {} },
    });
    tests.set(name, test);
  }
  if (estate.watchesEdges) await caller.incidents.settings.set({ auto_resolve_minutes: 15, edge_failing: true });
  const devices = estate.sites.flatMap(({ name, devices: count }) =>
    Array.from({ length: count }, () => ({ id: randomUUID(), site: name })),
  );
  const webhook = async (provider: 'generic' | 'forge_a') => {
    const { webhook: made, secret } = await caller.changes.webhooks.create({ provider, name: provider });
    return { id: made.id, secret };
  };
  const webhooks = { generic: await webhook('generic'), forge_a: await webhook('forge_a') };
  const played: Played = { scenario, tenant, onsetMs, tests, runners, devices, webhooks, delivered: new Set() };
  await contactDevices(causes, played, nowMs);
  return played;
}
