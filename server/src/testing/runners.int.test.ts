// Runners elsewhere against the whole product, on real listeners, with real certificates.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import type { Test } from '@svc/contracts/tests/test';
import { openProber } from '@svc/runner/prober';
import { type Canary, startCanary } from '@svc/runner/remote/canary';
import { enrolCanary, renewCanary } from '@svc/runner/remote/enrol';
import type { Credentials } from '@svc/runner/remote/identity-store';
import { openPlanFile } from '@svc/runner/remote/plan-file';
import { openSpool } from '@svc/runner/spool/spool';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createRootCa } from '#crypto';
import type { TenantId } from '#kernel';
import { ACME, OTHER, openRunnerProduct } from './test-runner-product.ts';

const soon = { timeout: 40_000, interval: 50 };
const SECRET = 'open sesame 4711';

type Opened = Awaited<ReturnType<typeof openRunnerProduct>>;
let opened: Opened;
let database: Opened['database'];
let telemetry: Opened['telemetry'];
let product: Opened['product'];
let folder: string;
let shopUrl: string;
let seen: Opened['shop']['seen'];
let ports: Opened['ports'];
const canaries: Canary[] = [];

beforeAll(async () => {
  opened = await openRunnerProduct();
  ({ database, telemetry, product, folder, ports } = opened);
  ({ url: shopUrl, seen } = opened.shop);
}, 120_000);
afterEach(async () => {
  for (const canary of canaries.splice(0)) await canary.stop();
  seen.length = 0;
});
afterAll(async () => await opened?.close());

const callerOf = (tenant: TenantId) => opened.callerOf(tenant);
const enrol: Opened['enrol'] = (...wanted) => opened.enrol(...wanted);
const addTest: Opened['addTest'] = (...wanted) => opened.addTest(...wanted);
const resultsOf: Opened['resultsOf'] = (...wanted) => opened.resultsOf(...wanted);

let spools = 0;
async function start(
  credentials: Credentials,
  more: { protocol?: number; spoolFolder?: string; planFolder?: string } = {},
): Promise<Canary & { lines: string[] }> {
  const lines: string[] = [];
  spools += 1;
  const canary = await startCanary({
    credentials,
    prober: await openProber({ allow: ['127.0.0.1'] }),
    spool: await openSpool({ folder: more.spoolFolder ?? join(folder, `spool-${spools}`) }),
    planFile: openPlanFile(more.planFolder ?? (await mkdtemp(join(folder, 'plan-')))),
    version: '0.1.0',
    tell: (line) => lines.push(line),
    renew: async (held) => ({ ...(await renewCanary(held)), grpc_addr: held.grpc_addr }),
    pauseMs: { first: 50, most: 200, slow: 1000 },
    ...(more.protocol === undefined ? {} : { protocol: more.protocol }),
  });
  canaries.push(canary);
  return { ...canary, lines };
}

/** As the owner of the tests keeps it. */
const putSecret = async (): Promise<void> =>
  await database.relational.withTenantSql(ACME, async (sql) => {
    await sql.query(
      `INSERT INTO synthetic_test_credentials (tenant_id, name, hosts, sealed, updated_by, updated_at) VALUES ($1, 'key', $2, $3, 'x', now())
       ON CONFLICT DO NOTHING`,
      [ACME, ['127.0.0.1'], opened.sealer.seal(SECRET, `test-secret/${ACME}/key`)],
    );
  });

it('enrols, gets its plan with secrets, measures, and is seen by the page of runners', async () => {
  const credentials = await enrol(ACME, { name: 'porto-1', labels: { place: 'porto' } });
  await putSecret();
  const params = { headers: [{ name: 'authorization', value: `$\{secret:key}` }] };
  const test = await addTest(ACME, { mode: 'labels', labels: { place: 'porto' } }, { params });
  const canary = await start(credentials);
  await vi.waitFor(async () => expect((await resultsOf(ACME, test)).length).toBeGreaterThan(1), soon);
  const results = await resultsOf(ACME, test);
  expect(new Set(results.map(({ agent_id }) => agent_id))).toEqual(new Set([credentials.runner_id]));
  expect(seen).toContain(SECRET);
  const { items } = await callerOf(ACME).runners.list({});
  expect(items.find(({ id }) => id === credentials.runner_id)).toMatchObject({
    ...{ name: 'porto-1', connected: true, labels: { place: 'porto' }, version: '0.1.0', tests: 1, upgrade_required: false },
  });
  expect((await callerOf(OTHER).runners.list({})).items.map(({ id }) => id)).toEqual(['built-in']);
  await callerOf(ACME).tests.remove({ ids: [test.id] });
  await vi.waitFor(() => expect(canary.runner.tests()).toBe(0), soon);
});

it('runs on demand with its phases, and answers whoever asked alone', async () => {
  const credentials = await enrol(ACME);
  await start(credentials);
  const test = await addTest(ACME, { mode: 'named', runners: [credentials.runner_id] }, { enabled: false });
  const wanted = { test, runner_id: credentials.runner_id, dry_run: true };
  const phases: string[] = [];
  await vi.waitFor(async () => {
    const report = await product.slices.runners.runOnce(ACME, wanted, (phase) => phases.push(phase));
    expect(report).toMatchObject({ success: true, on_demand: true, test_id: test.id, runner_id: credentials.runner_id });
  }, soon);
  expect(phases).toContain('first_byte');
  expect(await resultsOf(ACME, test)).toEqual([]);
  await expect(product.slices.runners.runOnce(OTHER, wanted)).rejects.toMatchObject({ code: 'not_found' });
});

it('goes on with its last plan and its secrets where it starts without the server', async () => {
  const credentials = await enrol(ACME);
  await putSecret();
  const planFolder = await mkdtemp(join(folder, 'plan-'));
  const params = { headers: [{ name: 'authorization', value: `$\{secret:key}` }] };
  const test = await addTest(ACME, { mode: 'named', runners: [credentials.runner_id] }, { params });
  const before = await start(credentials, { planFolder });
  await vi.waitFor(() => expect(before.runner.tests()).toBe(1), soon);
  await before.stop();
  seen.length = 0;
  const text = await readFile(join(planFolder, 'plan.jsonl'), 'utf8');
  expect(text).toContain(test.id);
  expect(text).not.toContain(SECRET);
  // Nothing listens there.
  const spoolFolder = join(folder, 'spool-alone');
  const alone = await start({ ...credentials, grpc_addr: '127.0.0.1:9' }, { planFolder, spoolFolder });
  await vi.waitFor(() => expect(seen.filter((value) => value === SECRET).length).toBeGreaterThan(1), soon);
  await alone.stop();
  const count = (await resultsOf(ACME, test)).length;
  await start(credentials, { planFolder, spoolFolder });
  await vi.waitFor(async () => expect((await resultsOf(ACME, test)).length).toBeGreaterThan(count + 1), soon);
});

it('reports of the tests of its plan alone', async () => {
  const [mine, others] = [await enrol(ACME), await enrol(ACME)];
  const test = await addTest(ACME, { mode: 'named', runners: [others.runner_id] }, { interval_seconds: 3600 });
  const spoolFolder = join(folder, 'spool-others');
  const spool = await openSpool({ folder: spoolFolder });
  const stamp = new Date().toISOString();
  const forged = {
    ...{ success: true, phases: {}, total_ms: 1, figures: {}, assertions: [], on_demand: false, type: 'http', target: shopUrl },
    ...{ result_id: '01990000-0000-7000-8000-0000000000AB', test_id: test.id, test_version: 1, runner_id: others.runner_id },
    ...{ planned_at: stamp, started_at: stamp },
  };
  await spool.append(Buffer.from(JSON.stringify(forged)));
  await spool.close();
  const canary = await start(mine, { spoolFolder });
  await vi.waitFor(() => expect(canary.lines).toContain('connected'), soon);
  await vi.waitFor(async () => {
    const again = await openSpool({ folder: spoolFolder });
    expect(again.counts().records).toBe(0);
    await again.close();
  }, soon);
  expect(await resultsOf(ACME, test)).toEqual([]);
  // Its own runner may, in whatever letters the id comes.
  const ownFolder = join(folder, 'spool-own');
  const own = await openSpool({ folder: ownFolder });
  await own.append(Buffer.from(JSON.stringify(forged)));
  await own.close();
  await start(others, { spoolFolder: ownFolder });
  await vi.waitFor(async () => {
    const ids = (await resultsOf(ACME, test)).map(({ result_id }) => result_id);
    expect(ids).toEqual([forged.result_id.toLowerCase()]);
  }, soon);
});

it('is asked by another replica than the one that holds its stream', async () => {
  const replica = await opened.openReplica();
  const credentials = await enrol(ACME);
  await start(credentials);
  const test = await addTest(ACME, { mode: 'named', runners: [credentials.runner_id] }, { enabled: false });
  const wanted = { test, runner_id: credentials.runner_id, dry_run: true };
  const phases: string[] = [];
  await vi.waitFor(async () => {
    const report = await replica.product.slices.runners.runOnce(ACME, wanted, (phase) => phases.push(phase));
    expect(report).toMatchObject({ success: true, on_demand: true, test_id: test.id, runner_id: credentials.runner_id });
  }, soon);
  expect(phases).toContain('first_byte');
  expect(replica.product.slices.runners.connected()).toBe(0);
  await expect(replica.product.slices.runners.runOnce(OTHER, wanted)).rejects.toMatchObject({ code: 'not_found' });
  // On the built-in one the replica runs it by itself.
  const here = { ...wanted, runner_id: 'built-in' };
  expect(await replica.product.slices.runners.runOnce(ACME, here)).toMatchObject({ success: true, runner_id: 'built-in' });
});

/** A way to the listener that can be cut. */
async function openWay(): Promise<{ port: number; cut(): void; restore(): void; close(): void }> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const way = createTcpServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(ports.grpc, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => way.once('listening', resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (way.address() as AddressInfo).port,
    cut,
    restore(): void {
      isCut = false;
    },
    close() {
      cut();
      way.close();
    },
  };
}

it('goes on without the server, and sends what it measured once it can be reached, nothing twice', async () => {
  const credentials = await enrol(ACME);
  const test = await addTest(ACME, { mode: 'named', runners: [credentials.runner_id] });
  const way = await openWay();
  const canary = await start({ ...credentials, grpc_addr: `127.0.0.1:${way.port}` });
  await vi.waitFor(async () => expect((await resultsOf(ACME, test)).length).toBeGreaterThan(0), soon);
  way.cut();
  await vi.waitFor(() => expect(canary.isConnected()).toBe(false), soon);
  const before = (await resultsOf(ACME, test)).length;
  const asked = seen.length;
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(asked + 2), soon);
  expect((await resultsOf(ACME, test)).length).toBeLessThanOrEqual(before + 1);
  way.restore();
  await vi.waitFor(async () => {
    const ids = (await resultsOf(ACME, test)).map(({ result_id }) => result_id);
    expect(ids.length).toBeGreaterThan(before + 3);
    expect(new Set(ids).size).toBe(ids.length);
  }, soon);
  way.close();
});

it('takes reports of the future as of now, and none of a test that the tenant does not have', async () => {
  const credentials = await enrol(ACME);
  const mine = await addTest(ACME, { mode: 'named', runners: [credentials.runner_id] });
  const foreign = await addTest(OTHER, { mode: 'any' });
  const spoolFolder = join(folder, 'spool-forged');
  const spool = await openSpool({ folder: spoolFolder });
  const forged = (test: Test, id: number) => ({
    ...{ success: false, fault: 'timeout', phases: {}, total_ms: 1, figures: {}, assertions: [], on_demand: false, type: 'http' },
    ...{ result_id: `01990000-0000-7000-8000-00000000000${id}`, test_id: test.id, test_version: 1, runner_id: 'built-in' },
    ...{ target: shopUrl, planned_at: '2090-01-01T00:00:00.000Z', started_at: '2090-01-01T00:00:00.000Z' },
  });
  for (const [n, test] of [mine, foreign].entries()) await spool.append(Buffer.from(JSON.stringify(forged(test, n))));
  await spool.append(Buffer.from('no report at all'));
  await spool.close();
  await start(credentials, { spoolFolder });
  const at = async (test: Test, tenant: TenantId) =>
    await telemetry.store.read<{ ms: string; agent_id: string }>(
      tenant,
      `SELECT toUnixTimestamp64Milli(ts) AS ms, agent_id FROM results WHERE tenant_id = {tenant:String} AND test_id = {test:String}
       AND result_id IN ('${forged(mine, 0).result_id}', '${forged(foreign, 1).result_id}')`,
      { test: test.id },
    );
  await vi.waitFor(async () => expect(await at(mine, ACME)).toHaveLength(1), soon);
  const [kept] = await at(mine, ACME);
  expect(kept?.agent_id).toBe(credentials.runner_id);
  expect(Math.abs(Number(kept?.ms) - Date.now())).toBeLessThan(60_000);
  expect([...(await at(foreign, ACME)), ...(await at(foreign, OTHER))]).toEqual([]);
});

it('has the labels that its token gives, whatever it says itself', async () => {
  const { token } = await callerOf(ACME).runners.createToken({ name: 'porto-2', labels: { place: 'porto' } });
  const { runner_id } = await enrolCanary({ ...asEnrolment(token), labels: { place: 'lisbon', floor: '3' } });
  const { items } = await callerOf(ACME).runners.list({});
  expect(items.find(({ id }) => id === runner_id)?.labels).toEqual({ place: 'porto', floor: '3' });
});

it('is refused at once and for good when it is removed', async () => {
  const credentials = await enrol(ACME);
  const canary = await start(credentials);
  await vi.waitFor(() => expect(canary.lines).toContain('connected'), soon);
  await expect(callerOf(OTHER).runners.remove({ id: credentials.runner_id })).rejects.toThrow(/no such runner/);
  await callerOf(ACME).runners.remove({ id: credentials.runner_id });
  await expect(canary.ended).rejects.toMatchObject({ kind: 'removed' });
  await expect(renewCanary(credentials)).rejects.toMatchObject({ kind: 'removed' });
  const { token } = await callerOf(ACME).runners.createToken({});
  const again = { server: credentials.server, token, version: '0.1.0', name: undefined, labels: {}, keyPem: credentials.key_pem };
  await expect(enrolCanary(again)).rejects.toMatchObject({ kind: 'removed' });
});

it('takes a runner’s certificate for no agent, an agent’s for no runner, and tokens of the other kind for nothing', async () => {
  const credentials = await enrol(ACME);
  const { token } = await callerOf(ACME).fleet.enrolTokens.create({});
  await expect(enrolCanary({ ...asEnrolment(token) })).rejects.toMatchObject({ kind: 'usage' });
  await expect(enrolCanary({ ...asEnrolment(token.replace('svc_enr_', 'svc_run_')) })).rejects.toMatchObject({ kind: 'refused' });
  const { verifyAgent, runnerAuthority } = product.slices.fleet;
  const { X509Certificate, createPublicKey } = await import('node:crypto');
  const raw = new X509Certificate(credentials.chain).raw;
  await expect(verifyAgent(raw)).rejects.toMatchObject({
    code: 'unauthorized',
    message: expect.stringMatching(/names no agent/),
  });
  await expect(runnerAuthority.identify(raw)).resolves.toMatchObject({ tenant: ACME, runnerId: credentials.runner_id });
  const spki = createPublicKey(credentials.key_pem).export({ type: 'spki', format: 'der' });
  // The same key and id, as an agent: made by the authority itself.
  const { issueAgentLeaf, createIntermediate } = await import('#crypto');
  const foreign = await createIntermediate(await createRootCa({ commonName: 'x' }), { trustDomain: 'svc', tenant: ACME });
  const leaf = await issueAgentLeaf(foreign, spki, {
    trustDomain: 'svc',
    tenant: ACME,
    agentId: credentials.runner_id,
    kind: 'runner',
  });
  await expect(product.slices.runners.speakers.verify(Buffer.from(new X509Certificate(leaf.certPem).raw))).rejects.toMatchObject({
    code: 'unauthorized',
  });
  expect(createHash('sha256').update(spki).digest('hex')).toHaveLength(64);
});

const asEnrolment = (token: string) => ({
  ...{ server: `https://127.0.0.1:${ports.http}`, token, version: '0.1.0', name: undefined, labels: {}, keyPem: undefined },
});

it('tells a runner of another protocol to be upgraded, and shows it', async () => {
  await expect(enrol(ACME, { protocol: AGENT_PROTOCOL + 2 })).rejects.toMatchObject({ kind: 'upgrade_required' });
  const credentials = await enrol(ACME);
  const canary = await start(credentials, { protocol: AGENT_PROTOCOL + 2 });
  await vi.waitFor(() => expect(canary.lines.join()).toMatch(/does not work with server protocol/), soon);
  await vi.waitFor(async () => {
    const { items } = await callerOf(ACME).runners.list({});
    expect(items.find(({ id }) => id === credentials.runner_id)).toMatchObject({ upgrade_required: true });
  }, soon);
});

it('renews by its key alone, also with a clock that is an hour off', async () => {
  const credentials = await enrol(ACME);
  const renewed = await renewCanary(credentials, { now: () => Date.now() - 3_600_000 });
  expect(renewed).toMatchObject({ runner_id: credentials.runner_id });
  expect(renewed.chain).not.toBe(credentials.chain);
});

it('takes a plan that is larger than a message, and every change of it', async () => {
  const credentials = await enrol(ACME);
  const canary = await start(credentials);
  await vi.waitFor(() => expect(canary.isConnected()).toBe(true), soon);
  const count = 400;
  const body = 'x'.repeat(3000);
  const spec = { type: 'http', target: shopUrl, interval_seconds: 3600, params: { method: 'POST', body } };
  const { test } = await callerOf(ACME).tests.create({
    test: { ...spec, name: 'many', runners: { mode: 'named', runners: [credentials.runner_id] } } as never,
  });
  await database.relational.withTenantSql(ACME, async (sql) => {
    await sql.query(
      `INSERT INTO synthetic_tests (tenant_id, id, version, name, type, enabled, spec, created_by, created_at, updated_at, enabled_at)
       SELECT tenant_id, gen_random_uuid(), 1, 'many ' || n, type, true, spec || jsonb_build_object('name', 'many ' || n), created_by, created_at,
         updated_at, enabled_at FROM synthetic_tests, generate_series(2, $2::int) n WHERE id = $1`,
      [test.id, count],
    );
    await sql.query("SELECT pg_notify('svc_tests', $1)", [ACME]);
  });
  await vi.waitFor(() => expect(canary.runner.tests()).toBe(count), soon);
  const left = canary.runner.idsOf('own').slice(200);
  await callerOf(ACME).tests.remove({ ids: canary.runner.idsOf('own').slice(0, 200) });
  await vi.waitFor(() => expect(canary.runner.idsOf('own').sort()).toEqual(left.sort()), soon);
}, 120_000);
