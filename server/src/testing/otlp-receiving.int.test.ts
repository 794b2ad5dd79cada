import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCallerFactory } from '#api';
import { createRootCa, createServerLeaf, type KeyPair } from '#crypto';
import { AppError, type Ctx } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createOtlp, type OtlpDeps } from '../features/otlp/index.ts';
import { callGrpc, makeRequest, postHttp } from '../features/otlp/test-clients.ts';
import { ACME, OTHER, type TestReceiver } from '../features/otlp/test-receiver.ts';
import { createOtlpTokens, type OtlpTokensDeps } from '../features/otlp-tokens/index.ts';

const ANYWHERE = { host: '127.0.0.1', port: 0 };
/** A second, and as much again for a busy machine. */
const SOON_MS = 2000;
const CONFIGURED = 'a-token-of-the-configuration==';

let database: TestDatabase;
let ca: KeyPair;
let leaf: KeyPair;
let offsetMs = 0;
const clock = { now: () => Date.now() + offsetMs };
const open: { close(): Promise<void> }[] = [];
const audited: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  ca = await createRootCa({ commonName: 'receiving test' });
  leaf = await createServerLeaf(ca, { hosts: ['127.0.0.1', 'localhost'] });
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
});
afterAll(async () => await database?.close());
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  audited.length = 0;
  offsetMs = 0;
});

type Settings = Partial<OtlpDeps['config']> & Partial<Pick<OtlpTokensDeps, 'configured'>>;

async function start({ configured = [], ...config }: Settings = {}, relational = database.relational) {
  const published: unknown[] = [];
  const log = pino({ level: 'silent' });
  const tokens = createOtlpTokens({
    relational,
    appendAudit: async (_sql, { action }) => void audited.push(action),
    ensureTenant: async (id) => void (await createTenant(database.relational, { id, name: id })),
    nameActors: async () => new Map([['p1', 'Pat']]),
    configured,
    receiver: { describe: () => otlp.describe(), report: () => otlp.report() },
    ...{ clock, log },
  });
  const otlp = createOtlp({
    bus: {
      kind: 'memory',
      publish: async (_topic, messages) =>
        void published.push(...messages.map((one) => ({ ...one, value: Buffer.from(one.value) }))),
    },
    tokens,
    onReport: tokens.addUse,
    config: {
      ...{ grpcAddr: ANYWHERE, httpAddr: ANYWHERE, tlsCertFile: undefined, tlsKeyFile: undefined },
      ...{ clientCaFile: undefined, maxBytes: 4 * 1024 * 1024 },
      ...config,
    },
    tls: { key: leaf.keyPem, cert: leaf.certPem, ca: ca.certPem },
    ...{ reachableHost: 'receiver.test', log },
  });
  const close = async () => {
    await otlp.close();
    await tokens.close();
  };
  await tokens.start();
  await otlp.start(() => true);
  open.push({ close });
  const caller = (tenant = ACME) => {
    const principal = { kind: 'account' as const, id: 'p1', tenant, permissions: new Set(['otlp.read', 'otlp.write'] as const) };
    const ctx: Ctx = { requestId: 'r', principal };
    return createCallerFactory(tokens.procedures)({ requestId: 'r', ctx });
  };
  const [grpc, http] = (await caller().status({})).listeners;
  const portOf = (address: string | null | undefined) => Number(address?.split(':').at(-1));
  const target = { ca: ca.certPem, grpcPort: portOf(grpc?.address), httpPort: portOf(http?.address) } as TestReceiver;
  const sendBoth = async (token: string, body = makeRequest('traces')) => [
    (await postHttp(target, { token, body })).status,
    (await callGrpc(target, { token, body })).status,
  ];
  return { tokens, close, caller, sendBoth, target, published };
}

describe('OTLP tokens', () => {
  it('are minted, used, listed with their use, and fail on the very next request once revoked', async () => {
    const { caller, sendBoth } = await start();
    const { id, token } = await caller().tokens.mint({ name: 'shop' });
    expect(await sendBoth(token)).toEqual([200, 0]);
    const { items } = await caller().tokens.list({});
    const listed = items.find((one) => one.id === id);
    expect(listed).toMatchObject({ name: 'shop', state: 'valid', configured: false, created_by: { id: 'p1', name: 'Pat' } });
    expect(listed?.bytes_today).toBe(2 * makeRequest('traces').length);
    expect(listed?.last_used_at).not.toBeNull();
    expect(JSON.stringify(items)).not.toContain(token);
    await caller().tokens.revoke({ id });
    expect(await sendBoth(token)).toEqual([401, 16]);
    expect((await caller().tokens.list({})).items.find((one) => one.id === id)?.state).toBe('revoked');
    expect(audited).toEqual(['otlp_token.mint', 'otlp_token.revoke']);
  });

  it('are several at once, of several tenants, and another tenant neither sees nor revokes them', async () => {
    const { caller, sendBoth, published } = await start();
    const first = await caller().tokens.mint({ name: 'first' });
    const second = await caller().tokens.mint({ name: 'second' });
    const theirs = await caller(OTHER).tokens.mint({ name: 'theirs' });
    for (const { token } of [first, second, theirs]) expect(await sendBoth(token)).toEqual([200, 0]);
    expect(published.map((message) => Reflect.get(message as object, 'tenant'))).toEqual([
      'acme',
      'acme',
      'acme',
      'acme',
      'other',
      'other',
    ]);
    expect(JSON.stringify(await caller(OTHER).tokens.list({}))).not.toContain(first.id);
    await expect(caller(OTHER).tokens.revoke({ id: first.id })).rejects.toThrow('no such OTLP token');
    expect(await sendBoth(first.token)).toEqual([200, 0]);
  });

  it('expire', async () => {
    // Time to send once, on a busy machine too.
    offsetMs = -86_400_000 + 3000;
    const { caller, sendBoth } = await start();
    const { token, expires_at } = await caller().tokens.mint({ name: 'short', expires_in_days: 1 });
    offsetMs = 0;
    expect(await sendBoth(token)).toEqual([200, 0]);
    const leftMs = Date.parse(expires_at ?? '') - Date.now();
    await new Promise((resolve) => setTimeout(resolve, leftMs + 5));
    expect(await sendBoth(token)).toEqual([401, 16]);
  });

  it('revoked on one replica fail on another within a second', async () => {
    const [here, there] = [await start(), await start()];
    const { id, token } = await here.caller().tokens.mint({ name: 'fleet' });
    await expect.poll(() => there.sendBoth(token), { timeout: SOON_MS, interval: 50 }).toEqual([200, 0]);
    await here.caller().tokens.revoke({ id });
    await expect.poll(() => there.sendBoth(token), { timeout: SOON_MS, interval: 50 }).toEqual([401, 16]);
  });

  it('of the configuration are listed and revoked like the others, and end with their line in it', async () => {
    const configured = [{ token: CONFIGURED, tenant: ACME }];
    const first = await start({ configured });
    expect(await first.sendBoth(CONFIGURED)).toEqual([200, 0]);
    await first.close();
    const without = await start();
    expect(await without.sendBoth(CONFIGURED)).toEqual([401, 16]);
    expect((await without.caller().tokens.list({})).items.filter((one) => one.configured)).toMatchObject([{ state: 'revoked' }]);
    const again = await start({ configured });
    expect(await again.sendBoth(CONFIGURED)).toEqual([200, 0]);
    const { items } = await again.caller().tokens.list({});
    const listed = items.filter((one) => one.configured);
    expect(listed).toMatchObject([{ name: 'SVC_OTLP_TOKENS', state: 'valid' }]);
    await again.caller().tokens.revoke({ id: listed[0]?.id ?? '' });
    expect(await again.sendBoth(CONFIGURED)).toEqual([401, 16]);
  });

  it('are minted once for a tenant that never had one', async () => {
    const { tokens, sendBoth } = await start();
    const fresh = 'fresh' as typeof ACME;
    await createTenant(database.relational, { id: fresh, name: 'Fresh' });
    const first = await tokens.mintFirstToken(fresh);
    expect(await sendBoth(first ?? '')).toEqual([200, 0]);
    expect(await tokens.mintFirstToken(fresh)).toBeUndefined();
  });
});

describe('what is told of receiving', () => {
  it('waits for first data, then tells what came last and how much', async () => {
    const quiet = 'quiet' as typeof ACME;
    await createTenant(database.relational, { id: quiet, name: 'Quiet' });
    const { caller, target } = await start();
    const { token } = await caller(quiet).tokens.mint({ name: 'one' });
    const before = await caller(quiet).status({});
    expect(before).toMatchObject({ valid_tokens: 1, accepted_per_second: 0, ca: ca.certPem, client_certificates: false });
    expect(before.signals.map(({ last_at }) => last_at)).toEqual([null, null, null]);
    await postHttp(target, { token, signal: 'logs', body: makeRequest('logs') });
    const after = await caller(quiet).status({});
    expect(after.signals.find(({ signal }) => signal === 'logs')).toMatchObject({ items: 1, last_at: expect.any(String) });
    expect(after.accepted_per_second).toBeGreaterThan(0);
    await postHttp(target, { token: 'of nobody', body: makeRequest('logs') });
    expect(await caller(quiet).status({})).toMatchObject({ memory: null, unknown_tokens: { count: 1 } });
  });

  it('shows refusals with reason and the resource to blame to its tenant alone', async () => {
    const { caller, target, tokens } = await start();
    const { token, id } = await caller().tokens.mint({ name: 'refused' });
    await postHttp(target, { token, body: makeRequest('traces', { tenant: 'other' }) });
    await caller().tokens.revoke({ id });
    await callGrpc(target, { token, body: makeRequest('traces') });
    const { items } = await caller().refusals({});
    expect(items.find(({ reason }) => reason === 'wrong_tenant')).toMatchObject({
      count: 1,
      resource: { 'service.name': 'shop', 'svc.tenant.id': 'other' },
    });
    expect(items.find(({ reason }) => reason === 'revoked_token')?.count).toBeGreaterThan(0);
    expect((await caller(OTHER).refusals({})).items).toEqual([]);
    expect(tokens.counts()).toContainEqual({
      name: 'svc.ingest.refused',
      value: 1,
      attributes: { source: 'otlp', reason: 'wrong_tenant', tenant: 'acme' },
    });
  });

  it('goes on counting while the database is away', async () => {
    const state = { isAway: false };
    const withTenantSql: typeof database.relational.withTenantSql = async (tenant, work) => {
      if (state.isAway) throw new AppError('unavailable', 'away');
      return await database.relational.withTenantSql(tenant, work);
    };
    const { caller, target } = await start({}, { ...database.relational, withTenantSql });
    const { token, id } = await caller().tokens.mint({ name: 'outage' });
    state.isAway = true;
    expect((await postHttp(target, { token, body: makeRequest('traces') })).status).toBe(200);
    await expect(caller().status({})).rejects.toThrow('away');
    expect((await postHttp(target, { token, body: makeRequest('traces') })).status).toBe(200);
    state.isAway = false;
    const counted = (await caller().tokens.list({})).items.find((one) => one.id === id);
    expect(counted?.bytes_today).toBe(2 * makeRequest('traces').length);
  });

  it('survives a stop: what was counted is there for the next start', async () => {
    const { close, caller, target } = await start();
    const { token, id } = await caller().tokens.mint({ name: 'kept' });
    await postHttp(target, { token, body: makeRequest('traces') });
    await close();
    const kept = (await (await start()).caller().tokens.list({})).items.find((one) => one.id === id);
    expect(kept?.bytes_today).toBe(makeRequest('traces').length);
  });
});

it('names the key of a port that is taken', async () => {
  const { target } = await start();
  const taken = { host: '127.0.0.1', port: target.httpPort };
  await expect(start({ httpAddr: taken })).rejects.toThrow(
    `127.0.0.1:${target.httpPort} is taken by another program: stop that program or set SVC_OTLP_HTTP_ADDR`,
  );
});

it('names the key of a file that holds no authorities', async () => {
  const faults = [{ path: 'SVC_OTLP_CLIENT_CA_FILE', message: expect.stringContaining('not PEM') }];
  await expect(start({ clientCaFile: import.meta.filename })).rejects.toMatchObject({ code: 'validation', faults });
});
