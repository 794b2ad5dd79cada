import { MAX_RULES, type RuleBody } from '@svc/contracts/notify/rule';
import { ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCallerFactory } from '#api';
import { type AuditEntry, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import type { RecentIncident } from './context.ts';
import { createNotifyRules } from './index.ts';

const NOW = Date.UTC(2026, 5, 2, 12);
const MINUTE_MS = 60_000;
const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const rule = (more: Partial<RuleBody> = {}): RuleBody & { name: string } => ({
  ...{ name: 'all', severity: 'info', severity_most: 'critical', planes: [], targets: [], sites: [], schedule: null },
  ...{ delay_seconds: 0, quiet: null, connectors: [], ...more },
});

let database: TestDatabase;
let slice: ReturnType<typeof createNotifyRules>;
const trail: AuditEntry[] = [];

const incident = (number: number, given: Partial<RecentIncident> = {}): RecentIncident => ({
  ...{ id: `01890000-0000-7000-8000-00000000000${number}`, number, title: `Incident ${number}`, severity: 'warning' },
  ...{
    planes: ['tests'],
    target: 'shop.example',
    site: null,
    openedAt: new Date(NOW),
    recoveredAt: null,
    acknowledgedAt: null,
    resolvedAt: null,
    ...given,
  },
});
const recent = [
  incident(4, { acknowledgedAt: new Date(NOW + MINUTE_MS) }),
  incident(3, { severity: 'critical' }),
  incident(2, { recoveredAt: new Date(NOW + MINUTE_MS) }),
  incident(1, { target: 'mail.example' }),
];

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
  slice = createNotifyRules({
    relational: database.relational,
    appendAudit: async (_sql, entry) => void trail.push(entry),
    nameActors: async (_tenant, ids) => new Map(ids.map((id) => [id, `Name of ${id}`])),
    knownConnectors: async () => new Map([['pager', {}]]),
    readRecent: async () => recent,
    clock: { now: () => NOW },
  });
});
afterAll(async () => await database?.close());

function as(role: Role, tenant: TenantId = ACME) {
  const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(ROLE_PERMISSIONS[role]) };
  return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
}

const decide = async (tenant: TenantId) =>
  (await database.relational.withTenantSql(tenant, slice.readDecider))(incident(9), { connectors: ['pager', 'chat'], atMs: NOW });

it('a rule decides from the moment in which it is made, changed and deleted, for its tenant alone', async () => {
  expect([...(await decide(ACME)).keys()]).toEqual(['pager', 'chat']);
  const made = await as('admin').create(rule({ severity: 'critical', connectors: ['pager'] }));
  expect([(await decide(ACME)).size, (await decide(OTHER)).size]).toEqual([0, 2]);
  const changed = await as('admin').change({ ...rule({ connectors: ['pager'], delay_seconds: 60 }), id: made.id });
  expect(changed).toMatchObject({ delay_seconds: 60, created_by: { name: 'Name of ann' } });
  expect([...(await decide(ACME))]).toEqual([['pager', { dueMs: NOW + MINUTE_MS, rule: made.id }]]);
  expect((await as('viewer').list()).items).toMatchObject([{ id: made.id }]);
  await expect(as('admin', OTHER).change({ ...rule(), id: made.id })).rejects.toMatchObject({ cause: { code: 'not_found' } });
  await as('admin').remove({ id: made.id });
  expect(trail.map(({ action }) => action)).toEqual(['notify_rule.create', 'notify_rule.change', 'notify_rule.delete']);
});

it('a preview says which of the last incidents a rule would have sent, and when', async () => {
  const preview = await as('admin').preview(rule({ targets: ['shop.*'], delay_seconds: 120 }));
  expect(preview).toMatchObject({ looked_at: 4, matched: 1 });
  expect(
    preview.incidents.map((one) => [one.number, one.matches, one.told_at, one.recovered_before, one.acknowledged_before]),
  ).toEqual([
    [4, true, null, false, true],
    [3, true, new Date(NOW + 2 * MINUTE_MS).toISOString(), false, false],
    [2, true, null, true, false],
    [1, false, null, false, false],
  ]);
  // Acknowledged when it would have been sent already.
  expect((await as('admin').preview(rule())).incidents[0]).toMatchObject({ number: 4, acknowledged_before: false });
});

it('a rule ends at its greatest severity; one without, also of before there was one, at none', async () => {
  const { severity_most: _, ...without } = rule({ severity: 'warning' });
  const preview = async (of: Parameters<ReturnType<typeof as>['preview']>[0]) =>
    (await as('admin').preview(of)).incidents.filter((one) => one.matches).map((one) => one.number);
  expect([await preview(rule({ severity_most: 'warning' })), await preview(without)]).toEqual([
    [4, 2, 1],
    [4, 3, 2, 1],
  ]);
  const made = await as('admin').create({ ...without, name: 'without' });
  expect(made.severity_most).toBe('critical');
  await database.relational.withTenantSql(ACME, (sql) => sql.query("UPDATE notify_rules SET body = body - 'severity_most'"));
  expect((await as('viewer').list()).items).toMatchObject([{ severity: 'warning', severity_most: 'critical' }]);
  expect((await decide(ACME)).size).toBe(2);
  await as('admin').change({ ...rule({ severity_most: 'info' }), id: made.id });
  expect((await decide(ACME)).size).toBe(0);
  await as('admin').remove({ id: made.id });
});

it('a rule that cannot be used is refused with what is wrong, and so is one more than a tenant may have', async () => {
  const quiet = { time_zone: 'Europe/Atlantis', from: '22:00', to: '06:00' };
  await expect(as('admin').create(rule({ quiet, connectors: ['nobody'] }))).rejects.toMatchObject({
    cause: { faults: [{ path: 'quiet.time_zone' }, { path: 'connectors.0' }] },
  });
  await expect(as('admin').create(rule({ severity: 'critical', severity_most: 'warning' }))).rejects.toMatchObject({
    cause: { faults: [{ path: 'severity_most' }] },
  });
  for (const wrong of [
    { delay_seconds: 86_401 },
    { targets: Array.from({ length: 51 }, () => 'x') },
    { sites: ['x'.repeat(254)] },
  ])
    await expect(as('admin').create(rule(wrong))).rejects.toThrow();
  await expect(as('operator').create(rule())).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await database.relational.withTenantSql(OTHER, (sql) =>
    sql.query(
      `INSERT INTO notify_rules (tenant_id, id, name, body, created_by, created_at, changed_at)
       SELECT $1, gen_random_uuid(), 'r', $3, 'x', now(), now() FROM generate_series(1, $2)`,
      [OTHER, MAX_RULES, JSON.stringify(rule())],
    ),
  );
  await expect(as('admin', OTHER).create(rule())).rejects.toMatchObject({ cause: { code: 'conflict' } });
});
