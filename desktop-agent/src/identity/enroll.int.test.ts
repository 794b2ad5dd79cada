import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../testing/control-plane.ts';
import { enroll, renew } from './enroll.ts';
import { needsRenewal } from './identity.ts';
import { createIdentityStore } from './identity-store.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane.close());
beforeEach(() => {
  plane.faults = {};
});

const facts = { agent_version: '0.1.0', os: 'linux', device_name: 'lab-1' };
const join24 = () => enroll({ server: plane.url, token: plane.token, facts });

describe('enrolling', () => {
  it('proves the server by the token’s pin and returns a certificate for the key made here', async () => {
    const { identity, keyPem } = await join24();
    expect(identity).toMatchObject({ tenantId: 'default', server: plane.url, grpcAddr: plane.grpcAddr, ring: 'main' });
    expect(keyPem).toContain('BEGIN PRIVATE KEY');
    expect(plane.enrolments.at(-1)).toMatchObject({ device_name: 'lab-1', protocol: 1 });
    expect(needsRenewal(identity, Date.now())).toBe(false);
    expect(needsRenewal(identity, Date.now() + 17 * 3_600_000)).toBe(true);
  });

  it('sends nothing to a server that is not the pinned one', async () => {
    const before = plane.enrolments.length;
    const foreign = plane.token.replace(/\..*/, `.${'A'.repeat(43)}`);
    await expect(enroll({ server: plane.url, token: foreign, facts })).rejects.toMatchObject({ code: 'untrusted' });
    expect(plane.enrolments.length).toBe(before);
  });

  it('asks the system’s roots where the token has no pin, and says what is missing', async () => {
    const bare = plane.token.replace(/\..*/, '');
    await expect(enroll({ server: plane.url, token: bare, facts })).rejects.toMatchObject({ code: 'untrusted' });
  });

  it.each([
    ['a wrong token', () => plane.token.replace('aaaa', 'bbbb'), 'unauthorized'],
    ['what is no token', () => 'hello', 'usage'],
  ])('says clearly: %s', async (_name, token, code) => {
    await expect(enroll({ server: plane.url, token: token(), facts })).rejects.toMatchObject({ code });
  });

  it('says clearly: nobody listens there', async () => {
    await expect(enroll({ server: 'https://127.0.0.1:9', token: plane.token, facts })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('renewing', () => {
  it('works with the key alone, long after the certificate ran out', async () => {
    plane.faults.leafLifeMs = -1000;
    const old = await join24();
    plane.faults = {};
    expect(Date.parse(old.identity.notAfter)).toBeLessThan(Date.now());
    const fresh = await renew({ credentials: old });
    expect(fresh.identity.agentId).toBe(old.identity.agentId);
    expect(Date.parse(fresh.identity.notAfter)).toBeGreaterThan(Date.now());
  });

  it('follows the server’s clock where this device’s is wrong', async () => {
    const held = await join24();
    plane.faults.clockSkewMs = 3_600_000;
    await expect(renew({ credentials: held })).resolves.toMatchObject({ keyPem: held.keyPem });
  });

  it('says that it was revoked', async () => {
    const held = await join24();
    plane.faults.renewRefusal = { status: 403, code: 'forbidden' };
    await expect(renew({ credentials: held })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('revoked'),
    });
  });
});

it('keeps key and identity private, as a whole, and forgets the identity without the key', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-identity-'));
  const store = createIdentityStore(join(directory, 'identity'));
  expect(await store.load()).toBeUndefined();
  const held = await join24();
  await store.save(held);
  expect(await store.load()).toEqual(held);
  expect((await stat(join(directory, 'identity', 'key.pem'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'identity'))).mode & 0o777).toBe(0o700);
  await store.forget();
  expect(await store.load()).toBeUndefined();
  expect(await store.loadKey()).toBe(held.keyPem);
  await rm(directory, { recursive: true });
});

describe('what an identity is kept to trust', () => {
  const keep = async (change: (identity: Record<string, unknown>) => Record<string, unknown>) => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-identity-'));
    const store = createIdentityStore(directory);
    const held = await join24();
    await store.save(held);
    const { identity } = held;
    await writeFile(join(directory, 'identity.json'), JSON.stringify(change({ ...identity })));
    return await store.load().finally(() => rm(directory, { recursive: true }));
  };

  it('is the one authority of a pinned server, also in a file from before it was named', async () => {
    expect((await join24()).identity.grpcTrust).toBe('authority');
    const loaded = await keep(({ grpcTrust: _, ...before }) => before);
    expect(loaded?.identity).toMatchObject({ grpcTrust: 'authority', grpcCa: expect.stringContaining('BEGIN CERTIFICATE') });
  });

  it('are the device’s roots of a server without a pin, also in a file from before that was named', async () => {
    const loaded = await keep(({ grpcTrust: _, pin: __, ...before }) => ({ ...before, grpcCa: '' }));
    expect(loaded?.identity).toMatchObject({ grpcTrust: 'system', grpcCa: '' });
  });

  it.each([
    ['an authority that is not there', { grpcTrust: 'authority', grpcCa: '' }],
    ['an authority beside the system’s roots', { grpcTrust: 'system' }],
    ['a pinned server without its authority', { grpcTrust: undefined, grpcCa: '' }],
    ['a trust that nobody knows', { grpcTrust: 'anybody' }],
  ])('is never guessed: %s', async (_name, wrong) => {
    await expect(keep((identity) => ({ ...identity, ...wrong }))).rejects.toMatchObject({
      message: expect.stringContaining('is incomplete'),
    });
  });
});
