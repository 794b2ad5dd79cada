import { expect, it } from 'vitest';
import { createCpuShares } from './cpu-shares.ts';

/** Takes as much as it may for so long, in pieces; gives what each came to. */
function burn(owners: readonly string[], { seconds, pieceMs }: { seconds: number; pieceMs: number }): Record<string, number> {
  let nowMs = 0;
  const shares = createCpuShares({ now: () => nowMs });
  const taken: Record<string, number> = {};
  while (nowMs < seconds * 1000) {
    const next = owners.filter((owner) => shares.waitMs(owner) === 0).toSorted((a, b) => (taken[a] ?? 0) - (taken[b] ?? 0))[0];
    if (next === undefined) nowMs += 1;
    else {
      nowMs += pieceMs;
      shares.spend(next, pieceMs);
      taken[next] = (taken[next] ?? 0) + pieceMs;
    }
  }
  return taken;
}

it('leaves a quarter of the core to the others, however much one owner wants', () => {
  const { heavy = 0 } = burn(['heavy'], { seconds: 60, pieceMs: 200 });
  expect(heavy).toBeGreaterThan(40_000);
  expect(heavy).toBeLessThan(48_000);
});

it('gives owners that take much alike', () => {
  const { one = 0, other = 0, third = 0 } = burn(['one', 'other', 'third'], { seconds: 120, pieceMs: 100 });
  for (const taken of [one, other, third]) {
    expect(taken).toBeGreaterThan(24_000);
    expect(taken).toBeLessThan(36_000);
  }
});

it('holds nobody while there is enough for all, however unlike they are', () => {
  let nowMs = 0;
  const shares = createCpuShares({ now: () => nowMs });
  for (; nowMs < 60_000; nowMs += 1000)
    for (const [owner, ms] of [['large', 300], ...Array.from({ length: 6 }, (_, i) => [`small ${i}`, 60])] as [
      string,
      number,
    ][]) {
      expect(shares.waitMs(owner)).toBe(0);
      shares.spend(owner, ms);
    }
});

it('never holds one that takes little, and lets one go on that has waited', () => {
  let nowMs = 0;
  const shares = createCpuShares({ now: () => nowMs });
  shares.spend('heavy', 4000);
  expect(shares.waitMs('heavy')).toBeGreaterThan(3000);
  for (; nowMs < 60_000; nowMs += 1000) {
    shares.spend('light', 20);
    expect(shares.waitMs('light')).toBe(0);
  }
  expect(shares.waitMs('heavy')).toBe(0);
  shares.spend('heavy', 1_000_000);
  expect(shares.waitMs('heavy')).toBeLessThan(10_000);
});
