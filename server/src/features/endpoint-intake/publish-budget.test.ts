import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import { beforeEach, expect, test, vi } from 'vitest';
import { parseTenantId } from '#kernel';
import { countSetAside, createPublishBudget, type PublishBudget } from './publish-budget.ts';

const LOUD = parseTenantId('loud');
const QUIET = parseTenantId('quiet');
const AGENT = { tenant: LOUD, agentId: '0199a0c1-0000-7000-8000-000000000001', fingerprint: '' };
const BATCH = { results: 1000, bytes: 100_000 };

let budget: PublishBudget;
let nowMs: number;
const pass = (ms: number): void => {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
};
/** Another tenant sends too. */
const besideOthers = (): void => {
  budget.isOpen(LOUD);
  budget.isOpen(QUIET);
};
const storeAll = (results: number): void => {
  budget.stored('results', LOUD, results);
  budget.stored('view', LOUD, results);
};

beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 0;
  budget = createPublishBudget(() => nowMs);
  return () => vi.useRealTimers();
});

test('a device sends a month of results at once and is then held to its rate', () => {
  for (let i = 0; i < 9; i++) expect(budget.spend(AGENT, BATCH)).toBe(0);
  expect(budget.spend(AGENT, BATCH)).toBeCloseTo(50);
  expect(budget.spend(AGENT, BATCH)).toBeCloseTo(555);
  expect(budget.spend({ ...AGENT, agentId: 'another' }, BATCH)).toBe(0);
  pass(1100);
  expect(budget.spend(AGENT, BATCH)).toBe(0);
  expect(budget.spend(AGENT, { results: 1, bytes: 2 ** 20 })).toBeCloseTo(460);
});

test('batches without results are not free: a device sends 1,000 of them at once, then 200 per second', () => {
  const empty = { results: 0, bytes: 2 };
  for (let i = 0; i < 999; i++) expect(budget.spend(AGENT, empty)).toBe(0);
  budget.spend(AGENT, empty);
  expect(budget.spend(AGENT, empty)).toBeCloseTo(5);
  pass(1005);
  for (let i = 0; i < 199; i++) expect(budget.spend(AGENT, empty)).toBe(0);
  budget.spend(AGENT, empty);
  expect(budget.spend(AGENT, empty)).toBeGreaterThan(0);
});

test('what a tenant sent and nobody can read yet is bounded: little beside others, much alone', () => {
  storeAll(1);
  budget.published(LOUD, 5000);
  expect(budget.isOpen(LOUD)).toBe(true);
  besideOthers();
  expect([budget.isOpen(LOUD), budget.isOpen(QUIET)]).toEqual([false, true]);
  budget.stored('results', LOUD, 1000);
  expect(budget.isOpen(LOUD), 'the fleet table does not show them yet').toBe(false);
  budget.stored('view', LOUD, 1000);
  expect(budget.isOpen(LOUD)).toBe(true);
});

test('results that are set aside make room like those that are stored, once', () => {
  storeAll(1);
  besideOthers();
  budget.published(LOUD, 6000);
  const place = { topic: TOPICS.endpointResults, reason: 'refused' } as const;
  const aside = (more: object) => countSetAside(budget, LOUD, Array(2000).fill({ ...place, group: GROUPS.results, ...more }));
  aside({});
  expect(budget.isOpen(LOUD), 'the fleet table does not show them yet').toBe(false);
  aside({ group: GROUPS.endpointView });
  expect(budget.isOpen(LOUD)).toBe(true);
  budget.published(LOUD, 2000);
  for (const more of [{ reason: 'not_a_result' }, { topic: TOPICS.networkResults }, { group: 'another' }]) aside(more);
  expect(budget.isOpen(LOUD), 'counted by their handler, or not of devices').toBe(false);
});

test('streams that wait are let in one after the other, as far as there is room', () => {
  storeAll(1);
  besideOthers();
  budget.published(LOUD, 5000);
  const order: number[] = [];
  const enter = (n: number) => () => {
    order.push(n);
    budget.published(LOUD, 1000);
  };
  budget.wait(LOUD, enter(1));
  const leave = budget.wait(LOUD, enter(2));
  budget.wait(LOUD, enter(3));
  budget.wait(LOUD, enter(4));
  leave();
  expect(order).toEqual([]);
  storeAll(2000);
  expect(order).toEqual([1, 3]);
});

test('nobody waits for consumers that are away: what is acknowledged is safe on the bus', () => {
  besideOthers();
  budget.published(LOUD, 1_000_000);
  expect(budget.isOpen(LOUD)).toBe(true);
  storeAll(1);
  budget.published(LOUD, 1_000_000);
  expect(budget.isOpen(LOUD)).toBe(false);
  let entered = 0;
  budget.wait(LOUD, () => entered++);
  pass(4000);
  expect(entered).toBe(0);
  pass(2000);
  expect(entered).toBe(1);
});

test('taking the batches of one tenant leaves the event loop to others, whatever becomes of the batches', () => {
  besideOthers();
  budget.tookLoop(LOUD, 100);
  expect([budget.isOpen(LOUD), budget.isOpen(QUIET)]).toEqual([false, true]);
  let entered = 0;
  budget.wait(LOUD, () => entered++);
  pass(150);
  expect(entered).toBe(0);
  pass(100);
  expect(entered).toBe(1);
});
