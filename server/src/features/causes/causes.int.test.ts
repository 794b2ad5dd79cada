import type { EvidenceFact, EvidenceQuestion, PlaneEvidence } from '@svc/contracts/causes/facts';
import { type Permission, ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { AppError, type AuditEntry, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import type { EvidenceSources, ExplainedIncident, ModelThread } from './context.ts';
import { atMinute, change, outcome, SINCE_MS, service } from './domain/test-facts.ts';
import { createCauses } from './index.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const ID = '01890000-0000-7000-8000-000000000001';

let database: TestDatabase;
let slice: ReturnType<typeof createCauses>;
let nowMs = 0;
let facts: Record<'tests' | 'map' | 'changes', EvidenceFact[]>;
let asked: { plane: string; question: EvidenceQuestion }[] = [];
let failing: string | undefined;
const trail: AuditEntry[] = [];
const prompts: string[] = [];
let answered: () => unknown;
let isConfigured = true;

const model: ModelThread = {
  describe: async () =>
    isConfigured ? { provider: 'anthropic', model: 'm', host: 'models.example', isLocal: false, mayAsk: true } : undefined,
  ask: async (_, { question, schema }) => {
    prompts.push(question.prompt);
    return schema.parse(answered());
  },
};

const plane =
  (name: PlaneEvidence['plane'], of: () => readonly EvidenceFact[]) =>
  async (_: TenantId, question: EvidenceQuestion): Promise<PlaneEvidence> => {
    asked.push({ plane: name, question });
    if (failing === name) throw new Error('away');
    return { plane: name, facts: of(), notMeasured: [] };
  };

const sources = (): EvidenceSources => ({
  tests: plane('tests', () => facts.tests),
  map: async (...question) => ({ ...(await plane('otlp', () => facts.map)(...question)), services: ['shop', 'payments'] }),
  traces: plane('otlp', () => []),
  logs: plane('logs', () => []),
  changes: plane('changes', () => facts.changes),
});

const incident: ExplainedIncident = {
  ...{ id: ID, number: 1, status: 'open', target: 'shop.example', prefix: null, site: null },
  ...{ started_at: new Date(SINCE_MS), resolved_at: null },
  nearby: [],
  signals: [
    {
      ...{ plane: 'tests', kind: 'test.failing', site: null, attributes: { 'test.id': 't1' } },
      occurred_at: new Date(SINCE_MS),
    },
  ],
};

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
  await database.relational.withTenantSql(ACME, (sql) =>
    sql.query(
      `INSERT INTO incidents (tenant_id, id, number, status, severity, title, started_at, opened_at, last_seen_at)
       VALUES ('acme', $1, 1, 'open', 'warning', 'Shop home fails', now(), now(), now())`,
      [ID],
    ),
  );
  slice = createCauses({
    relational: database.relational,
    appendAudit: async (_sql, entry) => void trail.push(entry),
    model,
    mask: async (_, texts) => texts.map((text) => ({ text: text.replaceAll('Shop home', '[test]'), counts: { hostname: 1 } })),
    readIncident: async (tenant) => {
      if (tenant !== ACME) throw new AppError('not_found', 'There is no such incident.');
      return incident;
    },
    sources,
    clock: { now: () => nowMs },
    log: pino({ level: 'silent' }),
  });
});
afterAll(async () => await database?.close());
beforeEach(async () => {
  nowMs = atMinute(5);
  asked = [];
  failing = undefined;
  isConfigured = true;
  trail.length = 0;
  prompts.length = 0;
  answered = () => ({ sentences: [{ text: 'It is the deploy, and nothing else.', evidence: ['E1'] }] });
  facts = { tests: [outcome()], map: [service({ errors: 300 })], changes: [] };
  await database.relational.withTenantSql(ACME, async (sql) => {
    await sql.query('DELETE FROM incident_causes');
    await sql.query('DELETE FROM incident_cause_requests');
  });
});

function as(role: Role, { tenant = ACME, without }: { tenant?: TenantId; without?: Permission } = {}) {
  const permissions = new Set(ROLE_PERMISSIONS[role].filter((one) => one !== without));
  const principal = { kind: 'account' as const, id: 'ann', tenant, permissions };
  return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
}

const note = (kind: string) =>
  database.relational.withTenantSql(ACME, (sql) =>
    slice.noteTransitions(sql, [{ kind, incident: { id: ID }, at: new Date(nowMs) }]),
  );

test('an incident is explained, and again with each signal: a new version where it says something new', async () => {
  await note('opened');
  expect(await slice.makeRequested(ACME)).toBe(1);
  expect(await slice.makeRequested(ACME)).toBe(0);
  const first = await as('operator').get({ id: ID });
  expect(first).toMatchObject({ version: 1, level: 'none', hypotheses: [{ kind: 'unknown' }] });
  facts.changes = [change()];
  nowMs += 1000;
  await note('signal_joined');
  const second = await as('operator').get({ id: ID });
  expect(second).toMatchObject({ version: 2, level: 'high', hypotheses: [{ kind: 'change', subject: 'c1' }] });
  await note('signal_joined');
  nowMs += 1000;
  await slice.makeRequested(ACME);
  expect(await as('operator').get({ id: ID })).toMatchObject({ version: 2, made_at: new Date(nowMs).toISOString() });
});

test('a change that a person judges is weighed anew at once, and of a resolved incident too', async () => {
  facts.changes = [change()];
  expect(await as('operator').get({ id: ID })).toMatchObject({ version: 1, level: 'high' });
  incident.status = 'resolved';
  try {
    facts.changes = [{ ...change(), verdict: 'ruled_out' }];
    nowMs += 1000;
    expect(await as('operator').get({ id: ID })).toMatchObject({ version: 1 });
    await database.relational.withTenantSql(ACME, (sql) => slice.noteJudged(sql, ID, new Date(nowMs)));
    const judged = await as('operator').get({ id: ID });
    expect([judged.version, judged.hypotheses[0]?.kind]).toEqual([2, 'unknown']);
  } finally {
    incident.status = 'open';
  }
});

test('what people write of it makes nobody explain it again', async () => {
  for (const kind of ['commented', 'assigned', 'acknowledged', 'severity_set']) await note(kind);
  expect(await slice.makeRequested(ACME)).toBe(0);
});

test('services that the map finds are asked about, and what cannot be read is said and loses nothing else', async () => {
  failing = 'logs';
  const told = await as('operator').get({ id: ID });
  expect(told.not_measured).toContainEqual({ plane: 'logs', sentence: 'It could not be read just now.' });
  expect(told.evidence).toHaveLength(2);
  const of = (name: string) => asked.find((one) => one.plane === name)?.question;
  expect(of('tests')).toMatchObject({ target: 'shop.example', testIds: ['t1'], services: [], sinceMs: SINCE_MS });
  expect(of('changes')).toMatchObject({ services: ['shop', 'payments'] });
  failing = 'otlp';
  nowMs += 120_000;
  expect((await as('operator').get({ id: ID })).not_measured).toContainEqual({
    plane: 'otlp',
    sentence: 'It could not be read just now.',
  });
});

test('ten who ask at once wait for one answer', async () => {
  const told = await Promise.all(Array.from({ length: 10 }, () => as('operator').get({ id: ID })));
  expect(new Set(told.map(({ version }) => version))).toEqual(new Set([1]));
  expect(asked.filter(({ plane: name }) => name === 'tests')).toHaveLength(1);
});

test('both permissions are needed, and another tenant finds nothing', async () => {
  await expect(as('viewer').get({ id: ID })).rejects.toMatchObject({ cause: { code: 'forbidden' } });
  await expect(as('operator', { without: 'events.read' }).get({ id: ID })).rejects.toMatchObject({
    cause: { code: 'forbidden' },
  });
  await expect(as('admin', { tenant: OTHER }).get({ id: ID })).rejects.toMatchObject({ cause: { code: 'not_found' } });
  for await (const { rows } of slice.data.exportRows(OTHER)) expect(rows).toEqual([]);
});

test('twenty versions are kept, all of them are exported and erased', async () => {
  for (let n = 0; n < 25; n += 1) {
    facts.tests = [outcome({ failed: n + 1 })];
    nowMs += 120_000;
    await as('operator').get({ id: ID });
  }
  const exported: Record<string, unknown>[] = [];
  for await (const { rows } of slice.data.exportRows(ACME)) exported.push(...rows);
  expect(exported.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6));
  expect(await slice.data.eraseTenant(ACME)).toEqual({ incident_causes: 20, incident_cause_requests: 0 });
});

test('an incident that cannot be explained keeps no other waiting', async () => {
  await note('opened');
  const gone = '01890000-0000-7000-8000-00000000000f';
  await database.relational.withTenantSql(ACME, async (sql) => {
    await sql.query(
      `INSERT INTO incidents (tenant_id, id, number, status, severity, title, started_at, opened_at, last_seen_at, merged_into)
       VALUES ('acme', $1, 2, 'open', 'warning', 'Other', now(), now(), now(), NULL)`,
      [gone],
    );
    await sql.query("INSERT INTO incident_cause_requests VALUES ('acme', $1, '2000-01-01')", [gone]);
  });
  expect(await slice.makeRequested(ACME)).toBe(2);
  expect(await as('operator').get({ id: ID })).toMatchObject({ version: 1 });
});

test('what a model would be sent is shown before, and exactly that is sent', async () => {
  const preview = await as('operator').preview({ id: ID });
  expect(preview).toMatchObject({ version: 1, configured: true, may_ask: true, masked: [{ category: 'hostname', count: 1 }] });
  expect(preview.prompt).toContain('[test] fails');
  expect(prompts).toEqual([]);
  const answer = await as('operator').ask({ id: ID, version: preview.version });
  expect(prompts).toEqual([preview.prompt]);
  expect(answer).toMatchObject({ provider: 'anthropic', sentences: [{ evidence: ['E1'] }], dropped: 0 });
  expect(trail).toEqual([
    {
      ...{ actor: { kind: 'account', id: 'ann' }, action: 'ai.query', object: { type: 'incident', id: ID } },
      detail: { version: 1, outcome: 'answered', kept: 1, dropped: 0 },
    },
  ]);
});

test('a model that lies keeps nothing, one that fails is told, and both are in the trail', async () => {
  await as('operator').preview({ id: ID });
  answered = () => ({ sentences: [{ text: 'It is the moon, as is known.', evidence: ['E77'] }] });
  expect(await as('operator').ask({ id: ID, version: 1 })).toMatchObject({ sentences: [], dropped: 1 });
  answered = () => {
    throw new AppError('unavailable', 'The model did not answer.');
  };
  await expect(as('operator').ask({ id: ID, version: 1 })).rejects.toMatchObject({ cause: { code: 'unavailable' } });
  answered = () => {
    throw new AppError('egress_denied', 'No consent.');
  };
  await expect(as('operator').ask({ id: ID, version: 1 })).rejects.toMatchObject({ cause: { code: 'egress_denied' } });
  expect(trail.map(({ detail }) => detail?.outcome)).toEqual(['nothing_kept', 'unavailable', 'egress_denied']);
  expect(await as('operator').get({ id: ID })).toMatchObject({ version: 1 });
  isConfigured = false;
  expect(await as('operator').preview({ id: ID })).toMatchObject({ configured: false, may_ask: false });
  await expect(as('operator').ask({ id: ID, version: 1 })).rejects.toMatchObject({ cause: { code: 'unavailable' } });
});

test('nobody asks of another tenant, of a version that is gone, or without both permissions', async () => {
  await as('operator').preview({ id: ID });
  await expect(as('admin', { tenant: OTHER }).ask({ id: ID, version: 1 })).rejects.toMatchObject({
    cause: { code: 'not_found' },
  });
  await expect(as('operator').ask({ id: ID, version: 9 })).rejects.toMatchObject({ cause: { code: 'not_found' } });
  await expect(as('viewer').ask({ id: ID, version: 1 })).rejects.toMatchObject({ cause: { code: 'forbidden' } });
  await expect(as('operator', { without: 'events.read' }).ask({ id: ID, version: 1 })).rejects.toMatchObject({
    cause: { code: 'forbidden' },
  });
  expect(prompts).toEqual([]);
});
