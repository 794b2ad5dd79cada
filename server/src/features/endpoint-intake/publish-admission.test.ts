import { beforeEach, expect, test, vi } from 'vitest';
import { parseTenantId } from '#kernel';
import { createAdmission } from './publish-admission.ts';
import { createPublishBudget, type PublishBudget } from './publish-budget.ts';

const LOUD = parseTenantId('loud');
const agent = { tenant: LOUD, agentId: '0199a0c1-0000-7000-8000-000000000001', fingerprint: '' };

let budget: PublishBudget;
let taken: string[];
let isRead: boolean;
let overdue: number;
let isBusy: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  budget = createPublishBudget(() => performance.now());
  [taken, isRead, overdue, isBusy] = [[], true, 0, false];
  return () => vi.useRealTimers();
});

const open = (resultsOfBatch = 1) => {
  const pause = () => {
    isRead = false;
  };
  const resume = () => {
    isRead = true;
  };
  return createAdmission({ pause, resume } as unknown as Parameters<typeof createAdmission>[0], {
    agent,
    budget,
    take: (bytes) => {
      taken.push(bytes.toString());
      return resultsOfBatch;
    },
    mayRead: () => !isBusy,
    onOverdue: () => overdue++,
  });
};
/** Another tenant sends too, and nobody can read what this one sent. */
const fillPartition = (): void => {
  budget.stored('view', LOUD, 1);
  budget.isOpen(LOUD);
  budget.isOpen(parseTenantId('quiet'));
  budget.published(LOUD, 5000);
};

test('a stream beyond its tenant’s share is not read, loses nothing and goes on in order', () => {
  const admission = open();
  admission.offer(Buffer.from('a'));
  fillPartition();
  admission.offer(Buffer.from('b'));
  admission.offer(Buffer.from('c'));
  expect([taken, isRead, admission.isHeld()]).toEqual([['a'], false, true]);
  budget.stored('view', LOUD, 5000);
  budget.stored('results', LOUD, 5000);
  expect([taken, isRead, admission.isHeld()]).toEqual([['a', 'b', 'c'], true, false]);
});

test('a device that sent too much rests, and one that the bus keeps waiting is not read either', () => {
  const admission = open(11_000);
  admission.offer(Buffer.from('a'));
  expect(isRead).toBe(false);
  isBusy = true;
  vi.advanceTimersByTime(506);
  expect([admission.isHeld(), isRead]).toEqual([false, false]);
});

test('a stream that is held for 20 s is sent away, and what was not taken in stays with its device', () => {
  const admission = open();
  fillPartition();
  const goOn = setInterval(() => {
    budget.stored('view', LOUD, 0);
    budget.isOpen(parseTenantId('quiet'));
  }, 1000);
  admission.offer(Buffer.from('a'));
  vi.advanceTimersByTime(19_000);
  expect(overdue).toBe(0);
  vi.advanceTimersByTime(1001);
  expect(overdue).toBe(1);
  admission.end();
  budget.stored('view', LOUD, 5000);
  budget.stored('results', LOUD, 5000);
  clearInterval(goOn);
  expect(taken).toEqual([]);
});
