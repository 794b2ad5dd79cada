import { expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createAdminLinkCommand } from './admin-link.ts';
import { runCommandLine } from './command.ts';
import { createOtlpTokenCommand } from './otlp-token.ts';
import { createTokenCreateCommand, readExpiry } from './token.ts';
import { createVerifyAuditCommand } from './verify-audit.ts';

const NOTHING = 'no end is remembered here, so a cut one would not be noticed';
const NOW = Date.parse('2026-11-21T12:00:00Z');

/** Runs a line against functions that remember what they were asked; gives the printed lines. */
async function run(line: string, chains: Record<string, boolean> = { default: true }) {
  const asked: unknown[] = [];
  const lines: string[] = [];
  const identity = {
    mintToken: async (tenant: TenantId, token: object) => {
      asked.push({ tenant, ...token });
      return { id: 'id', secret: 'svc_pat_secret' };
    },
    createClaimLink: async (tenant: TenantId) => {
      asked.push({ tenant });
      return { url: 'https://localhost:8443/auth/claim?token=x', expiresAt: new Date(NOW) };
    },
  };
  const links = {
    ...identity,
    createPasswordLink: async (tenant: TenantId, email: string) => {
      asked.push({ tenant, email });
      const link = { url: 'https://localhost:8443/auth/claim?token=y', expiresAt: new Date(NOW) };
      return { ...link, tenants: ['default', 'acme'].map(parseTenantId) };
    },
  };
  const audit = {
    listTenants: async () => Object.keys(chains).map(parseTenantId),
    verify: async (tenant: TenantId) => {
      const ok = chains[tenant] ?? true;
      const checkpoint = tenant === 'pruned' ? { seq: 7n, atMs: NOW } : undefined;
      const remembered = tenant === 'remembered' ? { seq: 2n, atMs: NOW } : undefined;
      return { ok, checked: 3, checkpoint, remembered, broken: ok ? undefined : { reason: 'Entry 2 is missing.' } };
    },
    acceptHead: async (tenant: TenantId) => {
      asked.push({ accept: tenant });
      return tenant === 'restored' ? { remembered: 9n, accepted: 3n } : undefined;
    },
  };
  const commands = [
    createTokenCreateCommand({ withIdentity: (work) => work(identity), now: () => NOW }),
    createOtlpTokenCommand({
      mintOtlpToken: async (tenant, token) => {
        asked.push({ tenant, ...token });
        return { token: 'svc_otlp_secret' };
      },
      now: () => NOW,
    }),
    createAdminLinkCommand({ withIdentity: (work) => work(links) }),
    createVerifyAuditCommand({ withAudit: (work) => work(audit) }),
  ];
  await runCommandLine(commands, line.split(' '), (text) => lines.push(text));
  return { lines, asked };
}

test('token create prints the secret alone, for scripts', async () => {
  const { lines, asked } = await run('token create --tenant default --role viewer,auditor --expires 30d --name ci');
  expect(lines).toEqual(['svc_pat_secret']);
  expect(asked).toEqual([
    { tenant: 'default', name: 'ci', roles: ['viewer', 'auditor'], expiresAt: new Date(NOW + 30 * 86_400_000) },
  ]);
});

test('otlp-token create prints the token alone, for scripts', async () => {
  const { lines, asked } = await run('otlp-token create --tenant default --expires 12h');
  expect(lines).toEqual(['svc_otlp_secret']);
  expect(asked).toEqual([{ tenant: 'default', name: 'command line', expiresAt: new Date(NOW + 12 * 3_600_000) }]);
});

test.each([
  ['otlp-token create', '--tenant is missing'],
  [`otlp-token create --tenant default --name ${'x'.repeat(201)}`, 'at most 200'],
  ['token create --role viewer', '--tenant is missing'],
  ['token create --tenant default', '--role is missing'],
  ['token create --tenant NOT_ONE --role viewer', 'not a tenant ID'],
  ['token create --tenant default --role root', '"root" is not a role'],
  ['token create --tenant default --role viewer --expires soon', 'not a time'],
  ['token create --tenant default --role viewer --expires 2020-01-01T00:00:00Z', 'next ten years'],
  ['admin-link', '--tenant is missing'],
])('bad usage is said plainly: %s', async (line, message) => {
  await expect(run(line)).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining(message) });
});

test('expiry takes durations and points of time', () => {
  expect(readExpiry('12h', NOW).toISOString()).toBe('2026-11-22T00:00:00.000Z');
  expect(readExpiry('2027-01-31T00:00:00Z', NOW).toISOString()).toBe('2027-01-31T00:00:00.000Z');
});

test('admin-link prints the link first', async () => {
  expect((await run('admin-link --tenant default')).lines[0]).toBe('https://localhost:8443/auth/claim?token=x');
});

test('admin-link --account asks for a link of that account and names the tenants that it is in', async () => {
  const { lines, asked } = await run('admin-link --tenant default --account ann@x.test');
  expect(lines[0]).toBe('https://localhost:8443/auth/claim?token=y');
  expect(lines[2]).toBe('The account is a member of: default, acme.');
  expect(asked).toEqual([{ tenant: 'default', email: 'ann@x.test' }]);
});

test('verify-audit tells of every tenant and fails when one chain is broken', async () => {
  expect((await run('verify-audit')).lines).toEqual([`default: whole, 3 entries; ${NOTHING}`]);
  expect((await run('verify-audit', { remembered: true })).lines).toEqual([
    'remembered: whole, 3 entries; matches entry 2, which this server remembers of 2026-11-21T12:00:00.000Z',
  ]);
  expect((await run('verify-audit', { pruned: true })).lines).toEqual([
    `pruned: whole, 3 entries from 8, checkpoint signed at 2026-11-21T12:00:00.000Z; ${NOTHING}`,
  ]);
  await expect(run('verify-audit', { a: true, b: false, c: true })).rejects.toThrow('The audit trail of b was tampered with.');
  expect((await run('verify-audit --tenant a', { a: true, b: false })).lines).toEqual([`a: whole, 3 entries; ${NOTHING}`]);
});

test('verify-audit accepts an end only where it is asked to', async () => {
  expect((await run('verify-audit', { restored: true })).asked).toEqual([]);
  const { lines, asked } = await run('verify-audit --accept-head', { a: true, restored: true });
  expect(asked).toEqual([{ accept: 'a' }, { accept: 'restored' }]);
  expect(lines[1]).toBe('restored: entry 3 is accepted as the end; this server remembered entry 9');
});
