import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ACTION_WORDS, describeAction, describeChange, describeDetail, shortId } from './audit-words.ts';

it('reads actions as sentences', () => {
  const actions = ['member.invite', 'agent.enrol', 'api_token.mint', 'enrol_token.revoke', 'member', 'probe.add_relay'];
  expect(actions.map(describeAction)).toEqual([
    'Member invited',
    'Device enrolled',
    'API token created',
    'Enrol token revoked',
    'Anything about members',
    'Probe add relay',
  ]);
});

const folder = fileURLToPath(new URL('../../../../server/src', import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!test)\.ts$/.test(file));

it('has words for each action that the server writes', () => {
  const written = new Set(
    sources
      .filter((file) => !/test/.test(file))
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/action: [^,;]*?'([a-z_]+\.[a-z_]+)'/g)])
      .map((match) => match[1] ?? ''),
  );
  expect(written.size).toBeGreaterThan(25);
  expect([...written].filter((action) => !(action in ACTION_WORDS))).toEqual([]);
});

it('has words for nothing that the server no longer writes', () => {
  const text = sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  expect(Object.keys(ACTION_WORDS).filter((action) => !text.includes(`'${action}'`))).toEqual([]);
});

it('says what a change replaced and with what, or why it cannot', () => {
  const kept = (from: string | null, to: string | null) => ({ state: 'kept' as const, from, to });
  const changes = [null, kept('Lisbon', 'Porto'), kept(null, 'Porto'), kept('Lisbon', null), { state: 'erased' as const }];
  expect(changes.map(describeChange)).toEqual([
    '',
    'from Lisbon to Porto',
    'to Porto, none before',
    'Lisbon removed',
    'values erased',
  ]);
});

it('keeps details short: words for flags, the end of long ids', () => {
  expect(describeDetail({ uses: 5, expired: false, link: '01a1ff00-938a-7a66-988c-cdc6702b3e41' })).toBe(
    'uses 5, not expired, link …2b3e41',
  );
  expect([{ again: false }, { again: true }].map(describeDetail)).toEqual(['', 'again']);
  expect(describeDetail({ roles: '', uses: 1 })).toBe('uses 1');
  expect(shortId('default')).toBe('default');
});
