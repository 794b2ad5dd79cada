import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeTest } from '../test-runners.ts';
import { planParts } from './plan-parts.ts';

it('seals a secret once a plan, however many tests refer to it', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const to = { tenant: 'acme', runnerId: 'r', spki: publicKey.export({ type: 'spki', format: 'der' }) };
  const secrets = Array.from({ length: 5 }, (_, n) => ({ name: `s${n}`, hosts: ['shop.example'], value: 'door' }));
  const put = Array.from({ length: 300 }, () => ({ test: makeTest(), secrets }));
  const parts = [...planParts({ put, remove: [] }, { to, revision: 1, anew: true })];
  const sealed = parts.flatMap((part) =>
    part.put.flatMap((planned) => planned.secrets.map((one) => Buffer.from(one.sealed).toString('hex'))),
  );
  expect(sealed).toHaveLength(1500);
  expect(new Set(sealed).size).toBe(5);
});
