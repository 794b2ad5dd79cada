import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLanes } from './lanes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('lets an owner begin when its own share allows it, whatever another one has to wait for', async () => {
  const freeAtMs: Readonly<Record<string, number>> = { heavy: Date.now() + 60_000, light: Date.now() + 50 };
  const waitMs = (owner: string): number => Math.max(0, (freeAtMs[owner] ?? 0) - Date.now());
  const lanes = createLanes({ shared: true, shares: { waitMs } });
  const begun: [owner: string, isHeld: boolean][] = [];
  for (const owner of ['heavy', 'light', 'free']) lanes.enter('tcp', owner, async (isHeld) => void begun.push([owner, isHeld]));
  expect(begun).toEqual([['free', false]]);
  await vi.advanceTimersByTimeAsync(50);
  expect(begun).toEqual([
    ['free', false],
    ['light', true],
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun.at(-1)).toEqual(['heavy', true]);
  expect(lanes.running()).toBe(0);
});
