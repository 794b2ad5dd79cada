import { createHash, verify, X509Certificate } from 'node:crypto';
import { credentials, status } from '@grpc/grpc-js';
import { agentStatus } from '@svc/contracts/agent/messages';
import { messageReceiptText } from '@svc/contracts/agent/receipt';
import { Policy } from '@svc/contracts/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCallerFactory, router } from '#api';
import { createIntermediate, createRootCa, issueAgentLeaf, type KeyPair, readCsr } from '#crypto';
import { type Ctx, parseTenantId, type TenantId } from '#kernel';
import { channelCredentials, deviceCredentials, makeDeviceKey, makeStatus, openConnect } from './test-devices.ts';
import { type FleetStack, startFleetStack } from './test-stack.ts';

let stack: FleetStack;
let acme: TenantId;
let rival: TenantId;
beforeAll(async () => {
  stack = await startFleetStack();
  acme = await stack.addTenant('acme');
  rival = await stack.addTenant('rival');
});
afterAll(async () => {
  await stack.close();
});

const callAs = (tenant: TenantId) => {
  const permissions = new Set(['agent.read', 'agent.write', 'settings.write'] as const);
  const ctx: Ctx = { principal: { kind: 'account', id: 'someone', tenant, permissions }, requestId: 'test' };
  return createCallerFactory(router({ fleet: stack.fleet.procedures }))({ requestId: 'test', ctx }).fleet;
};

const connectAs = async (tenant: TenantId) => {
  const { identity, keyPem } = await stack.enrolDevice(tenant);
  const device = openConnect({ address: stack.address, credentials: deviceCredentials(identity, keyPem) });
  return { ...device, agentId: identity.agent_id, identity, keyPem };
};

/** Signs a leaf with an issuer of the test's choice and tries to connect with it. */
async function endWith(issuer: KeyPair, claim: { tenant: string; agentId: string; hours?: number }) {
  const device = await makeDeviceKey();
  const leaf = await issueAgentLeaf(issuer, await readCsr(device.csr), { trustDomain: 'svc', ...claim });
  const chain = `${leaf.certPem}\n${issuer.certPem}`;
  const stream = openConnect({ address: stack.address, credentials: channelCredentials(stack.ca, device.keyPem, chain) });
  return await stream.ended.finally(stream.close);
}

describe('who may open a stream', () => {
  it('takes an enrolled device and gives it the policy and the clock', async () => {
    const device = await connectAs(acme);
    const [first] = await device.next(1);
    expect(Policy.parse(JSON.parse(first?.policy_json ?? ''))).toMatchObject({ version: 0, traceTargets: [] });
    expect(Math.abs((first?.server_clock_ms ?? 0) - Date.now())).toBeLessThan(5000);
    device.stream.end();
    expect(await device.ended).toMatchObject({ code: status.OK });
    device.close();
  });

  it("refuses another tenant's name under this tenant's authority, and an agent that nobody enrolled", async () => {
    const { identity } = await stack.enrolDevice(rival);
    await stack.enrolDevice(acme);
    const issuer = await stack.tenantKeys(acme);
    expect(await endWith(issuer, { tenant: rival, agentId: identity.agent_id })).toMatchObject({ appCode: 'unauthorized' });
    expect(await endWith(issuer, { tenant: acme, agentId: '01890a5d-ac96-774b-bcce-b302099a8057' })).toMatchObject({
      appCode: 'not_found',
    });
  });

  it("refuses an issuer that bears the tenant's name but not its key", async () => {
    const { identity } = await stack.enrolDevice(acme);
    const rivalIssuer = await stack.tenantKeys(rival);
    // What somebody with the root's key could make; the tenant's own list of issuers does not hold it.
    const forged = await createIntermediate(await stack.rootKeys(), { trustDomain: 'svc', tenant: acme });
    expect(await endWith(forged, { tenant: acme, agentId: identity.agent_id })).toMatchObject({ appCode: 'unauthorized' });
    expect(await endWith(rivalIssuer, { tenant: acme, agentId: identity.agent_id })).toMatchObject({ appCode: 'unauthorized' });
  });

  it('ends the handshake of an expired leaf, a leaf alone, a foreign authority and of no certificate', async () => {
    const { identity, keyPem } = await stack.enrolDevice(acme);
    const issuer = await stack.tenantKeys(acme);
    const expired = await endWith(issuer, { tenant: acme, agentId: identity.agent_id, hours: -0.001 });
    const foreign = await endWith(await createRootCa({ commonName: 'foreign' }), { tenant: acme, agentId: identity.agent_id });
    const [leafAlone = ''] = identity.chain.split(/(?<=-----END CERTIFICATE-----\n)/);
    const open = async (creds: Parameters<typeof openConnect>[0]['credentials']) => {
      const stream = openConnect({ address: stack.address, credentials: creds });
      return await stream.ended.finally(stream.close);
    };
    const alone = await open(channelCredentials(stack.ca, keyPem, leafAlone));
    const none = await open(credentials.createSsl(Buffer.from(stack.ca)));
    for (const end of [expired, foreign, alone, none])
      expect(end).toMatchObject({ code: status.UNAVAILABLE, appCode: undefined });
  });

  it('answers upgrade_required two protocols away in either direction, takes one, and says so in the fleet', async () => {
    const newer = await startFleetStack({ protocol: 3 });
    try {
      const { identity, keyPem } = await newer.enrolDevice(await newer.addTenant('acme'));
      const creds = deviceCredentials(identity, keyPem);
      for (const protocol of [1, 5, 0, -1]) {
        const stream = openConnect({ address: newer.address, credentials: creds, protocol });
        expect(await stream.ended).toMatchObject({ code: status.FAILED_PRECONDITION, appCode: 'upgrade_required' });
        stream.close();
      }
      await newer.fleet.flushContacts();
      expect(newer.copies.get(identity.agent_id)).toMatchObject({ state: 'update_required' });
      for (const protocol of [2, 4]) {
        const stream = openConnect({ address: newer.address, credentials: creds, protocol });
        expect(await stream.next(1)).toHaveLength(1);
        stream.stream.write(makeStatus());
        await stream.stop();
      }
      await newer.fleet.flushContacts();
      expect(newer.copies.get(identity.agent_id)).toMatchObject({ state: 'running' });
    } finally {
      await newer.close();
    }
  });

  it('refuses a call that says no protocol', async () => {
    const { identity, keyPem } = await stack.enrolDevice(acme);
    const stream = openConnect({
      address: stack.address,
      credentials: deviceCredentials(identity, keyPem),
      protocol: Number.NaN,
    });
    expect(await stream.ended).toMatchObject({ code: status.INVALID_ARGUMENT, appCode: 'validation' });
    stream.close();
  });
});

describe('an open stream', () => {
  it('ends at once when the agent is revoked, and the next call is refused; other agents stay', async () => {
    const [device, other] = [await connectAs(acme), await connectAs(acme)];
    await device.next(1);
    await other.next(1);
    expect(await callAs(acme).agents.revoke({ ids: [device.agentId] })).toEqual({ changed: 1 });
    expect(await device.ended).toMatchObject({ code: status.PERMISSION_DENIED, appCode: 'forbidden' });
    const again = openConnect({ address: stack.address, credentials: deviceCredentials(device.identity, device.keyPem) });
    expect(await again.ended).toMatchObject({ appCode: 'forbidden' });
    expect(stack.copies.has(device.agentId)).toBe(false);
    other.stream.write(makeStatus({ state: 'paused', paused_until_ms: Date.now() + 60_000, device_name: 'still here' }));
    await other.stop();
    await stack.fleet.flushContacts();
    expect(stack.copies.get(other.agentId)).toMatchObject({ state: 'paused', name: 'still here' });
    for (const one of [device, again]) one.close();
  });

  it('hears of a revocation that another replica made', async () => {
    const device = await connectAs(acme);
    await device.next(1);
    await stack.database.relational.withTenantSql(acme, async (sql) => {
      await sql.query('UPDATE agents SET revoked_at = now() WHERE id = $1', [device.agentId]);
      await sql.query('SELECT pg_notify($1, $2)', ['svc_agent_revoked', `acme/${device.agentId}`]);
    });
    expect(await device.ended).toMatchObject({ code: status.PERMISSION_DENIED });
    device.close();
  });

  it("gets a changed policy and a request to measure, and nothing of another tenant's", async () => {
    const [ours, theirs] = [await connectAs(acme), await connectAs(rival)];
    await Promise.all([ours.next(1), theirs.next(1)]);
    const { policy } = await callAs(acme).policy.get({});
    const { version, ...rest } = policy;
    const set = { expected_version: version, policy: { ...rest, traceTargets: ['192.0.2.9'] } };
    expect((await callAs(acme).policy.set(set)).policy.version).toBe(version + 1);
    const messages = await ours.next(2);
    expect(JSON.parse(messages[1]?.policy_json ?? '')).toMatchObject({ version: version + 1, traceTargets: ['192.0.2.9'] });
    await expect(callAs(acme).policy.set(set)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await callAs(acme).runNow({ id: ours.agentId })).toEqual({ connected: true });
    expect((await ours.next(3))[2]).toMatchObject({ run_now: true, policy_json: '' });
    await expect(callAs(rival).runNow({ id: ours.agentId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await Promise.all([ours.stop(), theirs.stop()]);
    expect(theirs.messages).toHaveLength(1);
  });

  it('is told its ring, who is behind it and how long results are kept, again when that changed, and never twice', async () => {
    let readers = 3;
    const describeTenant = async (tenant: TenantId) => ({ organisation: `${tenant} GmbH`, readers });
    const own = await startFleetStack({ extend: () => ({ mounts: [], deps: { describeTenant } }) });
    const { identity, keyPem } = await own.enrolDevice(await own.addTenant('acme'));
    const device = openConnect({ address: own.address, credentials: deviceCredentials(identity, keyPem) });
    const [first] = await device.next(1);
    expect(first).toMatchObject({ ring: identity.ring, organisation: 'acme GmbH', readers: 3, kept_days: 30 });
    readers = 4;
    device.stream.write(makeStatus());
    own.clock.advance(6 * 60_000);
    device.stream.write(makeStatus());
    expect((await device.next(2))[1]).toMatchObject({ policy_json: '', organisation: 'acme GmbH', readers: 4 });
    device.stream.write(makeStatus());
    await device.stop();
    expect(device.messages).toHaveLength(2);
    await own.close();
  });

  it('gets a signed receipt for the very bytes of each status where it asks for them, and else none', async () => {
    const { identity, keyPem } = await stack.enrolDevice(acme);
    const options = { address: stack.address, credentials: deviceCredentials(identity, keyPem) };
    const device = openConnect({ ...options, keepsReceipts: true });
    const status = makeStatus();
    device.stream.write(status);
    const find = () => device.messages.find(({ receipt }) => (receipt?.length ?? 0) > 0);
    for (let count = 1; !find(); count += 1) await device.next(count);
    const told = find();
    const digest = createHash('sha256').update(agentStatus.encode(status)).digest();
    expect(Buffer.from(told?.receipt_of ?? []).equals(digest)).toBe(true);
    const [, issuer = ''] = identity.chain.split(/(?<=-----END CERTIFICATE-----\n)/);
    const text = messageReceiptText({
      ...{ kind: 'status', tenant: acme, agentId: identity.agent_id, sha256: digest.toString('hex') },
      receivedAtMs: told?.server_clock_ms ?? 0,
    });
    const key = { key: new X509Certificate(issuer).publicKey, dsaEncoding: 'ieee-p1363' as const };
    expect(verify('sha256', Buffer.from(text), key, told?.receipt ?? Buffer.alloc(0))).toBe(true);
    await device.stop();
    const old = openConnect(options);
    old.stream.write(status);
    await old.next(1);
    await old.stop();
    expect(old.messages.every(({ receipt }) => (receipt?.length ?? 0) === 0)).toBe(true);
  });

  it('is told what it shares with others where policy allows it, once for each change', async () => {
    let others = 8;
    const told = new Map<string, { cause: 'wifi'; others: number; sinceMs: null }>();
    const readShared = async () => new Map([...told].map(([id, one]) => [id, { ...one, others }]));
    const own = await startFleetStack({ extend: () => ({ mounts: [], deps: { readShared } }) });
    const tenant = await own.addTenant('acme');
    const { identity, keyPem } = await own.enrolDevice(tenant);
    told.set(identity.agent_id, { cause: 'wifi', others, sinceMs: null });
    const device = openConnect({ address: own.address, credentials: deviceCredentials(identity, keyPem) });
    const [first] = await device.next(1);
    // Switched off, as it is by default.
    device.stream.write(makeStatus());
    const permissions = new Set(['agent.read', 'settings.write'] as const);
    const ctx: Ctx = { principal: { kind: 'account', id: 'someone', tenant, permissions }, requestId: 'test' };
    const call = createCallerFactory(router({ fleet: own.fleet.procedures }))({ requestId: 'test', ctx }).fleet;
    const { version, ...policy } = Policy.parse(JSON.parse(first?.policy_json ?? ''));
    await call.policy.set({ expected_version: version, policy: { ...policy, tellShared: true } });
    await device.next(2);
    expect(device.messages.map(({ shared_json: text }) => text)).toEqual(['', '']);
    device.stream.write(makeStatus());
    expect(JSON.parse((await device.next(3))[2]?.shared_json ?? '')).toEqual({ cause: 'wifi', others: 8, sinceMs: null });
    device.stream.write(makeStatus());
    others = 9;
    own.clock.advance(31_000);
    device.stream.write(makeStatus());
    expect(JSON.parse((await device.next(4))[3]?.shared_json ?? '')).toMatchObject({ others: 9 });
    await call.policy.set({ expected_version: version + 1, policy: { ...policy, tellShared: false } });
    device.stream.write(makeStatus());
    const [, , , , ...rest] = await device.next(6);
    expect(rest.map(({ shared_json: text }) => text).sort()).toEqual(['', '{}']);
    await device.stop();
    await own.close();
  });

  it('is read on a second later for each status beyond thirty at once, and loses none', async () => {
    const device = await connectAs(acme);
    await device.next(1);
    for (let i = 0; i < 31; i += 1) device.stream.write(makeStatus({ device_name: `status ${i}` }));
    device.stream.write(makeStatus({ device_name: 'the last' }));
    const name = async () => {
      await stack.fleet.flushContacts();
      return stack.copies.get(device.agentId)?.name;
    };
    await expect.poll(name).toBe('status 30');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await name()).toBe('status 30');
    await expect.poll(name, { timeout: 5000 }).toBe('the last');
    await device.stop();
  });

  it('keeps what a device says of the person before it, and takes an older one that says nothing', async () => {
    const device = await connectAs(acme);
    const said = { face: 'window', missing_permissions: ['location', 'telepathy'], disclosure: 'accepted' };
    device.stream.write(makeStatus({ state: 'needs_permission', ...said }));
    await device.next(1);
    await stack.fleet.flushContacts();
    await expect
      .poll(() => stack.copies.get(device.agentId))
      .toMatchObject({ face: 'window', missingPermissions: ['location'], disclosure: 'accepted' });
    device.stream.write(makeStatus());
    await device.stop();
    await stack.fleet.flushContacts();
    expect(stack.copies.get(device.agentId)).toMatchObject({ face: null, missingPermissions: [], disclosure: null });
  });

  it('is asked to renew when its certificate has less than six hours left, and ends with it', async () => {
    const device = await connectAs(acme);
    await device.next(1);
    const hours = 3_600_000;
    stack.clock.advance(19 * hours);
    device.stream.write(makeStatus());
    expect((await device.next(2))[1]).toMatchObject({ renew_now: true });
    stack.clock.advance(6 * hours);
    stack.grpc.endExpired();
    expect(await device.ended).toMatchObject({ appCode: 'unauthorized' });
    stack.clock.advance(-25 * hours);
    device.close();
  });

  it.each([{ state: 'dancing' }, { device_name: 'x'.repeat(300) }, { model: 'a\nb' }, { owner_email: 'nobody' }])(
    'ends on a status that is not valid: %o',
    async (part) => {
      const device = await connectAs(acme);
      await device.next(1);
      device.stream.write(makeStatus(part));
      expect(await device.ended).toMatchObject({ code: status.INVALID_ARGUMENT, appCode: 'validation' });
      device.close();
    },
  );
});

describe('what another tenant can do', () => {
  it('changes and reads nothing', async () => {
    const device = await stack.enrolDevice(acme);
    const id = device.identity.agent_id;
    const them = callAs(rival);
    expect(await them.agents.revoke({ ids: [id] })).toEqual({ changed: 0 });
    expect(await them.agents.retire({ ids: [id] })).toEqual({ changed: 0 });
    expect(await them.agents.setSite({ ids: [id], site: 'Elsewhere' })).toEqual({ changed: 0 });
    expect(await them.agents.setOwner({ ids: [id], owner: 'a@b.example' })).toEqual({ changed: 0 });
    await expect(them.agents.rename({ id, name: 'mine' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { enrol_token: token } = await callAs(acme).enrolTokens.create({});
    await expect(them.enrolTokens.revoke({ id: token.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await them.enrolTokens.list({})).items.map((item) => item.id)).not.toContain(token.id);
    expect((await them.policy.get({})).policy.traceTargets).toEqual([]);
    expect(stack.copies.get(id)).toMatchObject({ site: null });
  });
});

describe('the listener when it goes down', () => {
  it('ends its streams cleanly, so that devices connect elsewhere', async () => {
    const own = await startFleetStack();
    const tenant = await own.addTenant(parseTenantId('acme'));
    const { identity, keyPem } = await own.enrolDevice(tenant);
    const device = openConnect({ address: own.address, credentials: deviceCredentials(identity, keyPem) });
    await device.next(1);
    await own.grpc.drain();
    expect(await device.ended).toMatchObject({ code: status.OK });
    expect(own.grpc.openStreams()).toBe(0);
    device.close();
    await own.close();
  });
});
