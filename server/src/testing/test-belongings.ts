// One of everything that a tenant can have, each with the mark in its name.
import { createHash, randomUUID } from 'node:crypto';
import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { Policy } from '@svc/contracts/policy';
import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { Telemetry } from '#telemetry';
import type { Product } from '../compose/product.ts';
import type { Belongings } from './procedure-inputs.ts';
import { addChanges } from './test-changes-belongings.ts';
import { addNotify } from './test-notify-belongings.ts';

/** A log record as it would come by OTLP, now. */
const WRITE_LOG = `INSERT INTO logs (tenant_id, ts, body, service, attributes, bus_offset)
  SELECT {tenant:String}, now64(9), {mark:String}, {mark:String}, map('mark', {mark:String}), 1`;

const TRACE = 'ac'.repeat(16);
const SPAN = 'ac'.repeat(8);
const WRITE_SPAN = `INSERT INTO spans (tenant_id, ts, duration_ns, trace_id, span_id, name, service, attributes, attribute_types)
  SELECT {tenant:String}, now64(9), 1000, unhex('${TRACE}'), unhex('${SPAN}'), {mark:String}, {mark:String}, map('mark', {mark:String}), 's'`;

const WRITE_METRICS = [
  `INSERT INTO metric_series (tenant_id, metric, fp, month, otel_name, kind, labels)
    SELECT {tenant:String}, {mark:String}, 1, toYYYYMM(now(), 'UTC'), {mark:String}, 'gauge', map('mark', {mark:String})`,
  `INSERT INTO metric_points (tenant_id, metric, fp, ts, value, keep_days) SELECT {tenant:String}, {mark:String}, 1, now64(3), 1, 30`,
  `INSERT INTO metric_exemplars (tenant_id, metric, fp, ts, attributes) SELECT {tenant:String}, {mark:String}, 1, now64(3), map('mark', {mark:String})`,
];

interface Place {
  relational: Relational;
  telemetry: Telemetry;
  incidents: Pick<Product['slices']['incidents'], 'raise'>;
  tenant: TenantId;
  mark: string;
}

/** Calls a procedure as the tenant's admin; gives its data. */
type Ask = <T>(name: string, input: object) => Promise<T>;
interface Identified {
  id: string;
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

async function addRunner({ relational, tenant, mark }: Place): Promise<string> {
  const runner = randomUUID();
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `INSERT INTO runners (tenant_id, id, key_hash, public_key, name, protocol, enrolled_at, cert_not_after)
       VALUES ($1, $2, $3, '\\x00', $4, 1, now(), now())`,
      [tenant, runner, hashOf(runner), mark],
    );
  });
  return runner;
}

async function addAgent({ relational, tenant, mark }: Place): Promise<string> {
  const agent = randomUUID();
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `INSERT INTO agents (tenant_id, id, key_hash, public_key, given_name, device_name, ring, protocol, cert_not_after)
       VALUES ($1, $2, $3, '\\x00', $4, $4, 'main', 1, now())`,
      [tenant, agent, hashOf(agent), mark],
    );
    await sql.query(
      `INSERT INTO endpoint_summary (tenant_id, agent_id, name, ring, state, enrolled_at, last_contact_at)
       VALUES ($1, $2, $3, 'main', 'running', now(), now())`,
      [tenant, agent, mark],
    );
    await sql.query(
      `INSERT INTO bus_quarantine (tenant_id, id, topic, consumer_group, bus_partition, bus_offset, digest, reason, error, bytes, set_aside_at,
         expires_at, sealed)
       VALUES ($1, gen_random_uuid(), 'svc.otlp.logs', $2, 0, 1, sha256('x'), 'refused', '', 1, now(), now() + interval '1 day', 'x')`,
      [tenant, mark],
    );
  });
  return agent;
}

/** Two, of which the first has two signals that belong to both. */
async function openIncidents(
  { relational, incidents, tenant, mark }: Place,
  ask: Ask,
): Promise<Pick<Belongings, 'incident' | 'otherIncident' | 'signal'>> {
  const failing = (key: string, target: string): RaisedSignal => ({
    ...{
      plane: 'tests',
      kind: 'test.failing',
      severity: 'warning',
      title: `${mark} fails`,
      summary: mark,
      target,
      dedup_key: key,
    },
    ...{ attributes: { 'test.name': mark }, occurred_at: new Date().toISOString(), prefix: '203.0.113.0/24' },
  });
  await incidents.raise(tenant, [
    { ...failing('other', 'other.test'), prefix: undefined },
    failing('first', `${mark}.test`),
    { ...failing('third', '203.0.113.9'), prefix: undefined },
  ]);
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query('INSERT INTO incident_settings (tenant_id) VALUES ($1)', [tenant]);
    await sql.query(
      `INSERT INTO incident_links (tenant_id, incident_id, other_id, why) SELECT a.tenant_id, a.id, b.id, $1 FROM incidents a, incidents b
       WHERE a.number = 1 AND b.number = 2`,
      [mark],
    );
  });
  const { items } = await ask<{ items: Identified[] }>('incidents.list', {});
  const { items: signals } = await ask<{ items: Identified[] }>('signals.list', { incident: items[0]?.id });
  return { incident: items[0]?.id ?? '', otherIncident: items[1]?.id ?? '', signal: signals.at(-1)?.id ?? '' };
}

async function addPeople({ mark }: Place, ask: Ask): Promise<Pick<Belongings, 'account' | 'token' | 'invite' | 'savedView'>> {
  const account = (await ask<{ account: Identified }>('identity.me', {})).account.id;
  const token = (await ask<Identified>('identity.tokens.mint', { name: mark, roles: ['viewer'] })).id;
  const invited = { roles: ['viewer'], email: `x@${mark}.test` };
  const invite = (await ask<Identified>('identity.members.invite', invited)).id;
  const view = { page: 'fleet', name: mark, search: `search=${mark}`, shared: true };
  const savedView = (await ask<Identified>('savedViews.create', view)).id;
  // Those that no procedure here deletes, for the export.
  for (const page of ['logs', 'tests']) {
    const { id } = await ask<Identified>('savedViews.create', { ...view, page });
    await ask('savedViews.setDefault', { page, id });
  }
  return { account, token, invite, savedView };
}

async function addTelemetry({ telemetry, tenant, mark }: Place, ask: Ask): Promise<Pick<Belongings, 'otlpToken' | 'trace'>> {
  for (const sql of [WRITE_LOG, ...WRITE_METRICS, WRITE_SPAN]) await telemetry.store.derive(tenant, sql, { mark });
  return { otlpToken: (await ask<Identified>('otlp.tokens.mint', { name: mark })).id, trace: TRACE };
}

async function addTests(
  place: Place,
  ask: Ask,
): Promise<Pick<Belongings, 'test' | 'otherTest' | 'testSecret' | 'window' | 'runner' | 'runnerToken'>> {
  const { mark } = place;
  const tested = { type: 'tcp', target: 'tested.example:443', enabled: false };
  const testNamed = async (name: string) =>
    (await ask<{ test: Identified }>('tests.create', { test: { ...tested, name } })).test.id;
  const [test, otherTest] = [await testNamed(mark), await testNamed(`${mark} 2`)];
  // One that no procedure here deletes.
  await testNamed(`${mark} 3`);
  const runnerToken = (await ask<{ runner_token: Identified }>('runners.createToken', { name: mark })).runner_token.id;
  const runner = await addRunner(place);
  const testSecret = `${mark}-secret`;
  await ask('tests.secrets.set', { name: testSecret, hosts: ['tested.example'], value: 'hidden' });
  const maintained = { repeat: 'weekly', weekdays: [1], from: '01:00', duration_minutes: 60 };
  const kept = { name: mark, zone: 'UTC', scope: { kind: 'target', target: 'tested.example' }, times: maintained };
  const window = (await ask<Identified>('tests.maintenance.create', kept)).id;
  return { test, otherTest, testSecret, window, runner, runnerToken };
}

/** Gives a tenant what every procedure of `INPUTS` needs; gives their ids. */
export async function settleBelongings(place: Place, ask: Ask): Promise<Belongings> {
  const { relational, tenant, mark } = place;
  const { policy } = await ask<{ policy: Policy }>('fleet.policy.get', {});
  const agent = await addAgent(place);
  const enrolToken = (await ask<{ enrol_token: Identified }>('fleet.enrolTokens.create', { label: mark })).enrol_token.id;
  const people = await addPeople(place, ask);
  const sent = await addTelemetry(place, ask);
  const tested = await addTests(place, ask);
  // Nobody but its own tenant learns that it waits.
  const rumApp = (await ask<Identified>('rum.apps.create', { name: mark, hosts: ['tested.example'] })).id;
  await ask('rum.apps.create', { name: `${mark}-2` });
  const changed = await addChanges(relational, tenant, mark);
  const opened = await openIncidents(place, ask);
  const told = await addNotify(relational, tenant, { mark, incident: opened.incident });
  return { ...people, ...sent, ...tested, ...changed, ...opened, ...told, agent, enrolToken, rumApp, mark, policy };
}
