import { randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSealer } from '#crypto';
import { parseTenantId, systemClock } from '#kernel';
import { createTenant, openRelational, type Relational } from '#relational';
import { createTestDatabase, type TestDatabase } from '../../../relational/test-database.ts';
import { createAgentAuthority } from './agent-authority.ts';
import { createAgentVerifier } from './verify-agent.ts';

const DEVICES = 1000;
const POOL = 10;
const tenant = parseTenantId('crowd');

let database: TestDatabase;
let certificates: Buffer[];
let ids: string[];
beforeAll(async () => {
  database = await createTestDatabase({ poolSize: POOL });
  await createTenant(database.relational, { id: tenant, name: 'Crowd' });
  ids = Array.from({ length: DEVICES }, () => uuidv7());
  const { publicKey } = (await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', publicKey));
  await database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `INSERT INTO agents (tenant_id, id, public_key, key_hash, ring, cert_not_after, protocol)
       SELECT current_setting('app.tenant_id'), id, $2, sha256(id::text::bytea), 'main', now(), 1 FROM unnest($1::uuid[]) id`,
      [ids, spki],
    );
  });
  const { authority } = createVerifier(database.relational);
  certificates = [];
  for (const agentId of ids) {
    const { chain } = await authority.issue({ tenant, agentId }, spki);
    certificates.push(new X509Certificate(chain).raw);
  }
});
afterAll(async () => await database?.close());

const sealer = createSealer(randomBytes(32));

/** A verifier as a process has it that has just started; `reads` counts its transactions on the real database. */
function createVerifier(relational: Relational) {
  const seen = { transactions: 0, atOnce: 0, most: 0 };
  const counting: Relational = {
    ...relational,
    withTenantSql: async (whose, work) => {
      seen.transactions += 1;
      seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      return await relational.withTenantSql(whose, work).finally(() => {
        seen.atOnce -= 1;
      });
    },
  };
  const authority = createAgentAuthority({ relational: counting, sealer, clock: systemClock });
  return { authority, verifier: createAgentVerifier({ relational: counting, authority, clock: systemClock }), seen };
}

test(`${DEVICES} devices that come at once take a few statements, and leave the pool to others`, async () => {
  const { verifier, seen } = createVerifier(database.relational);
  const waits: number[] = [];
  const crowd = Promise.all(certificates.map((certificate) => verifier.verify(certificate)));
  let over = false;
  const person = async () => {
    while (!over) {
      const began = performance.now();
      await database.relational.withTenantSql(tenant, async (sql) => await sql.query('SELECT 1'));
      waits.push(performance.now() - began);
    }
  };
  const people = person();
  const verified = await crowd;
  over = true;
  await people;
  expect(verified.map(({ agentId }) => agentId)).toEqual(ids);
  expect(seen.transactions).toBeLessThan(10);
  expect(seen.most).toBeLessThanOrEqual(2);
  expect(Math.max(...waits)).toBeLessThan(2000);
});

test('a device that is revoked while the crowd is being read is refused, now and later', async () => {
  const { verifier } = createVerifier(database.relational);
  const [revoked = '', retired = ''] = ids;
  const outcomes = Promise.allSettled(certificates.map((certificate) => verifier.verify(certificate)));
  await database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query('UPDATE agents SET revoked_at = now() WHERE id = $1', [revoked]);
    await sql.query('UPDATE agents SET retired_at = now() WHERE id = $1', [retired]);
  });
  verifier.forget(tenant, revoked);
  verifier.forget(tenant, retired);
  const settled = await outcomes;
  expect(settled.slice(2).every(({ status }) => status === 'fulfilled')).toBe(true);
  const [first, second] = certificates;
  await expect(verifier.verify(first as Buffer)).rejects.toMatchObject({ code: 'forbidden', message: 'This agent was revoked.' });
  await expect(verifier.verify(second as Buffer)).rejects.toMatchObject({
    code: 'forbidden',
    message: 'This agent was retired.',
  });
});

test('a device whose row is gone is forgotten at the next look, and refused', async () => {
  const { verifier } = createVerifier(database.relational);
  const gone: string[] = [];
  verifier.watchRevoked((_, id) => gone.push(id));
  const [erased = '', stays = ''] = ids.slice(-2);
  const [certificate, other] = certificates.slice(-2) as [Buffer, Buffer];
  await Promise.all([verifier.verify(certificate), verifier.verify(other)]);
  await database.relational.withTenantSql(
    tenant,
    async (sql) => void (await sql.query('DELETE FROM agents WHERE id = $1', [erased])),
  );
  await verifier.recheckAll();
  expect(gone).toEqual([erased]);
  await expect(verifier.verify(certificate)).rejects.toMatchObject({ code: 'not_found' });
  await expect(verifier.verify(other)).resolves.toMatchObject({ agentId: stays });
});

test('a database that does not answer refuses all that wait, and the next try works', async () => {
  const lost = await openRelational({ appUrl: database.appUrl, log: pino({ level: 'silent' }) });
  await lost.close();
  let { withTenantSql } = lost;
  const { verifier } = createVerifier({ ...database.relational, withTenantSql: (whose, work) => withTenantSql(whose, work) });
  const some = certificates.slice(10, 30);
  const outcomes = await Promise.allSettled(some.map((certificate) => verifier.verify(certificate)));
  expect(outcomes.map((one) => (one.status === 'rejected' ? one.reason.code : 'believed'))).toEqual(
    some.map(() => 'unavailable'),
  );
  withTenantSql = database.relational.withTenantSql;
  await expect(Promise.all(some.map((certificate) => verifier.verify(certificate)))).resolves.toHaveLength(20);
});
