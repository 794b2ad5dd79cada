import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createStatusRates } from './status-rates.ts';

test('a device may report thirty times at once and then once a second, each on its own', () => {
  let nowMs = 0;
  const spend = createStatusRates(() => nowMs);
  const tenant = parseTenantId('acme');
  const loud = { tenant, agentId: 'loud' };
  expect(Array.from({ length: 30 }, () => spend(loud)).every((ms) => ms === 0)).toBe(true);
  expect(spend(loud)).toBe(1000);
  expect(spend({ tenant, agentId: 'quiet' })).toBe(0);
  nowMs = 1000;
  expect(spend(loud)).toBe(1000);
  nowMs = 3000;
  expect(spend(loud)).toBe(0);
  nowMs = 10 * 60_000;
  expect(Array.from({ length: 31 }, () => spend(loud)).filter((ms) => ms > 0)).toEqual([1000]);
});
