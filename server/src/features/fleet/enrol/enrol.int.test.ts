import { createHash, verify, X509Certificate } from 'node:crypto';
import { messageReceiptText } from '@svc/contracts/agent/receipt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { makeDeviceKey, signRenewal } from '../test-devices.ts';
import { type FleetStack, postJson, startFleetStack } from '../test-stack.ts';

let stack: FleetStack;
let tenant: TenantId;

beforeAll(async () => {
  stack = await startFleetStack();
  tenant = await stack.addTenant('acme');
});
afterAll(async () => {
  await stack.close();
});

const enroll = async (token: string, csr: string, more: object = {}) =>
  await postJson(stack.http, '/agent/v1/enroll', { token, csr, protocol: 1, agent_version: '0.1.0', ...more });
const renew = async (body: object) => await postJson(stack.http, '/agent/v1/renew', body);

describe('enrolment', () => {
  it('gives an identity of its own tenant, whatever names the request claims, and audits it', async () => {
    const { token } = await stack.mintToken(tenant, { site: 'Lisbon, floor 3', owner: 'nuno@example.com' });
    const { csr } = await makeDeviceKey();
    const answer = await enroll(token, csr, { device_name: 'LIS-LT-0139', os: 'linux' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ tenant_id: 'acme', grpc_ca: stack.ca });
    const [leaf = '', intermediate = ''] = String(answer.body.chain).split(/(?<=-----END CERTIFICATE-----\n)/);
    const certificate = new X509Certificate(leaf);
    expect(certificate.subjectAltName).toBe(`URI:spiffe://svc/tenant/acme/agent/${answer.body.agent_id}`);
    expect(certificate.verify(new X509Certificate(intermediate).publicKey)).toBe(true);
    const hours = (certificate.validToDate.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect(stack.copies.get(String(answer.body.agent_id))).toMatchObject({
      name: 'LIS-LT-0139',
      site: 'Lisbon, floor 3',
      owner: 'nuno@example.com',
      state: 'running',
    });
    expect(stack.audit.map(({ entry }) => entry.action)).toEqual(expect.arrayContaining(['enrol_token.create', 'agent.enrol']));
  });

  it('signs for the very bytes of each request, with the key that issued the certificate', async () => {
    const { token } = await stack.mintToken(tenant);
    const device = await makeDeviceKey();
    const sent = { token, csr: device.csr, protocol: 1, agent_version: '0.1.0' };
    const enrolled = await postJson(stack.http, '/agent/v1/enroll', sent);
    const renewal = signRenewal(device.keyPem, { agentId: String(enrolled.body.agent_id), tenant: 'acme' }, stack.clock.now());
    const renewed = await renew(renewal);
    for (const [kind, document, { body }] of [
      ['enrol', sent, enrolled],
      ['renew', renewal, renewed],
    ] as const) {
      const [, issuer = ''] = String(body.chain).split(/(?<=-----END CERTIFICATE-----\n)/);
      const key = { key: new X509Certificate(issuer).publicKey, dsaEncoding: 'ieee-p1363' as const };
      const text = messageReceiptText({
        kind,
        tenant: 'acme',
        agentId: String(body.agent_id),
        sha256: createHash('sha256').update(JSON.stringify(document)).digest('hex'),
        receivedAtMs: Number(body.received_at_ms),
      });
      const signature = Buffer.from(String(body.receipt), 'base64');
      expect(verify('sha256', Buffer.from(text), key, signature), kind).toBe(true);
      expect(verify('sha256', Buffer.from(text.replace('acme', 'evil')), key, signature)).toBe(false);
    }
    expect((await renew({ ...renewal, signature: 'AA' })).body).not.toHaveProperty('receipt');
  });

  it('keeps the id of a key that enrols again, and lets a lost answer be asked for again without another use', async () => {
    const { csr } = await makeDeviceKey();
    const { token } = await stack.mintToken(tenant);
    const first = await enroll(token, csr);
    const repeated = await enroll(token, csr);
    const { token: other } = await stack.mintToken(tenant);
    const later = await enroll(other, csr);
    expect([first.status, repeated.status, later.status]).toEqual([200, 200, 200]);
    expect(new Set([first.body.agent_id, repeated.body.agent_id, later.body.agent_id]).size).toBe(1);
  });

  it.each(['svc_enr_x', `svc_enr_${'a'.repeat(43)}`, ''])('refuses the token "%s", which nobody minted', async (token) => {
    const { csr } = await makeDeviceKey();
    const answer = await enroll(token, csr);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 401, code: 'unauthorized' });
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it('refuses a token that is used up, expired or revoked, and says which', async () => {
    const { csr } = await makeDeviceKey();
    const used = await stack.mintToken(tenant);
    await enroll(used.token, csr);
    const [again, expired, revoked] = [
      await enroll(used.token, (await makeDeviceKey()).csr),
      await enroll((await stack.mintToken(tenant, { expires_in_hours: 1e-9 })).token, csr),
      await (async () => {
        const { token, kept } = await stack.mintToken(tenant);
        await stack.database.relational.withTenantSql(tenant, async (sql) => {
          await sql.query('UPDATE enrol_tokens SET revoked_at = now() WHERE id = $1', [kept.id]);
        });
        return await enroll(token, csr);
      })(),
    ];
    expect([again.status, expired.status, revoked.status]).toEqual([401, 401, 401]);
    expect(again.body.detail).toMatch(/used up/);
    expect(expired.body.detail).toMatch(/expired/);
    expect(revoked.body.detail).toMatch(/revoked/);
  });

  it('takes no more devices than a token has uses when many come at once', async () => {
    const { token } = await stack.mintToken(tenant, { uses: 3 });
    const keys = await Promise.all(Array.from({ length: 8 }, async () => await makeDeviceKey()));
    const answers = await Promise.all(keys.map(async ({ csr }) => await enroll(token, csr)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(5);
  });

  it('refuses what is no P-256 request, a body with foreign fields, and one over its bound', async () => {
    const { token } = await stack.mintToken(tenant, { uses: 10 });
    const p384 = await makeDeviceKey({ name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-256' });
    const { csr } = await makeDeviceKey();
    const answers = [
      await enroll(token, p384.csr),
      await enroll(token, 'no request'),
      await enroll(token, csr, { device_name: 'a\0b' }),
      await enroll(token, csr, { tenant: 'other' }),
      await postJson(stack.http, '/agent/v1/enroll', '{"token":'),
      await postJson(stack.http, '/agent/v1/enroll', { pad: 'x'.repeat(20_000) }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400, 400, 400, 413]);
    expect(answers[3]?.body.errors).toHaveLength(1);
  });

  it('answers upgrade_required two protocols away in either direction and takes one', async () => {
    const { token } = await stack.mintToken(tenant, { uses: 10 });
    const { csr } = await makeDeviceKey();
    const answers = await Promise.all([3, -1, 2, 0].map(async (protocol) => await enroll(token, csr, { protocol })));
    expect(answers.map((answer) => answer.status)).toEqual([426, 426, 200, 200]);
    expect(answers[0]?.body.code).toBe('upgrade_required');
  });
});

describe('renewal', () => {
  it('works a month after the certificate expired', async () => {
    const { identity, keyPem } = await stack.enrolDevice(tenant);
    const month = 31 * 86_400_000;
    stack.clock.advance(month);
    try {
      const answer = await renew(signRenewal(keyPem, { tenant, agentId: identity.agent_id }, stack.clock.now()));
      expect(answer.status).toBe(200);
      expect(answer.body.agent_id).toBe(identity.agent_id);
      const leaf = new X509Certificate(String(answer.body.chain));
      expect(leaf.validToDate.getTime()).toBeGreaterThan(stack.clock.now() + 23 * 3_600_000);
    } finally {
      stack.clock.advance(-month);
    }
  });

  it("refuses a replay, another key's signature, a clock six minutes off and another tenant's name", async () => {
    const { identity, keyPem } = await stack.enrolDevice(tenant);
    const agent = { tenant, agentId: identity.agent_id };
    const good = signRenewal(keyPem, agent, stack.clock.now());
    const other = await makeDeviceKey();
    await stack.addTenant('rival');
    const answers = [
      await renew(good),
      await renew(good),
      await renew(signRenewal(other.keyPem, agent, stack.clock.now())),
      await renew(signRenewal(keyPem, agent, stack.clock.now() - 6 * 60_000)),
      await renew({ ...signRenewal(keyPem, agent, stack.clock.now()), tenant_id: 'rival' }),
      await renew({ ...good, nonce: 'x'.repeat(20) }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 409, 401, 400, 404, 401]);
    expect(answers[3]?.headers.date).toBeDefined();
  });

  it('refuses a revoked and a retired agent; a retired one comes back with a token, a revoked key never', async () => {
    const [revoked, retired] = [await makeDeviceKey(), await makeDeviceKey()];
    const enrolled = await Promise.all([revoked, retired].map(async (key) => await stack.enrolDevice(tenant, key)));
    const [revokedId, retiredId] = enrolled.map(({ identity }) => identity.agent_id);
    await stack.database.relational.withTenantSql(tenant, async (sql) => {
      await sql.query('UPDATE agents SET revoked_at = now() WHERE id = $1', [revokedId]);
      await sql.query('UPDATE agents SET retired_at = now() WHERE id = $1', [retiredId]);
    });
    const ask = async (keyPem: string, agentId = '') =>
      (await renew(signRenewal(keyPem, { tenant, agentId }, stack.clock.now()))).status;
    expect([await ask(revoked.keyPem, revokedId), await ask(retired.keyPem, retiredId)]).toEqual([403, 403]);
    const { token } = await stack.mintToken(tenant, { uses: 2 });
    expect((await enroll(token, revoked.csr)).status).toBe(403);
    const back = await enroll(token, retired.csr);
    expect([back.status, back.body.agent_id]).toEqual([200, retiredId]);
    expect(await ask(retired.keyPem, retiredId)).toBe(200);
  });
});
