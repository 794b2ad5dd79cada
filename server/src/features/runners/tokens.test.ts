import { expect, test } from 'vitest';
import { presentTokens } from './tokens.ts';

test('a token names who made it, as people read it', async () => {
  const nowMs = Date.parse('2026-11-26T12:00:00Z');
  const row = (created_by: string) => ({
    ...{ id: created_by, name: null, labels: {}, site: null, uses: 1, used: 0, revoked_at: null },
    ...{ expires_at: new Date(nowMs + 1000), created_at: new Date(nowMs), created_by },
  });
  const deps = { nameActors: async () => new Map([['ana', 'Ana Duarte']]), clock: { now: () => nowMs } };
  const shown = await presentTokens(deps, 'acme' as never, [row('ana'), row('cli')]);
  expect(shown).toMatchObject([
    { state: 'valid', created_by: { id: 'ana', name: 'Ana Duarte' } },
    { state: 'valid', created_by: { id: 'cli', name: null } },
  ]);
});
