import { describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createHeadroom, createUsedShare } from './headroom.ts';

const ALL_MIB = 200;
const STEP_MS = 10;
const [flood, other, quiet] = [parseTenantId('flood'), parseTenantId('other'), parseTenantId('quiet')];

/** A machine that ALL_MIB a second keep busy, with senders that send their next request when one is answered. */
function open(used: (mib: number, atMs: number) => number = (mib) => mib / ALL_MIB) {
  let now = 0;
  let brought = 0;
  const headroom = createHeadroom(
    () => Math.min(used(brought, now), 1),
    () => now,
  );
  /** What came of each in the last of so many seconds, MiB, of those who would send so many. */
  return function run(seconds: number, wished: readonly [TenantId, number][]): number[] {
    const due = wished.map(() => now);
    let came: number[] = [];
    for (let second = 0; second < seconds; second++) {
      came = wished.map(() => 0);
      for (const end = now + 1000; now < end; now++)
        for (const [at, [tenant, mib]] of wished.entries()) {
          if (now < (due[at] as number)) continue;
          const size = (mib * STEP_MS) / 1000;
          (came[at] as number) += size;
          due[at] = now + STEP_MS + headroom.holdMs(tenant, size * 1024 * 1024);
        }
      brought = came.reduce((sum, mib) => sum + mib, 0);
    }
    return came;
  };
}

describe('what a flood is left', () => {
  test('all there is while it is alone', () => {
    expect(open()(30, [[flood, ALL_MIB]])[0]).toBeCloseTo(ALL_MIB);
  });

  test('nearly half of it beside another, who is never held; all again when the other has gone', () => {
    const run = open();
    const [held, kept] = run(30, [
      [flood, ALL_MIB],
      [quiet, 1],
    ]);
    expect(held).toBeGreaterThan(0.4 * ALL_MIB);
    expect(held).toBeLessThan(0.5 * ALL_MIB);
    expect(kept).toBeCloseTo(1);
    expect(run(13, [[flood, ALL_MIB]])[0]).toBeCloseTo(ALL_MIB);
  });

  test('all of it beside another where cores are free', () => {
    const run = open(() => 0.4);
    const wished: [TenantId, number][] = [
      [flood, 100],
      [quiet, 1],
    ];
    expect(run(30, wished)[0]).toBeCloseTo(100);
  });

  test('a quarter of it at least, although another program takes whatever it gives up', () => {
    const run = open(() => 1);
    const [held] = run(60, [
      [flood, 100],
      [quiet, 1],
    ]);
    expect(held).toBeGreaterThan(20);
    expect(held).toBeLessThan(30);
  });

  test('less at once while the store merges, and then what it had before', () => {
    const isMerging = (atMs: number): boolean => atMs % 8000 >= 6000;
    const run = open((mib, atMs) => mib / ALL_MIB + (isMerging(atMs) ? 0.6 : 0));
    const wished: [TenantId, number][] = [
      [flood, ALL_MIB],
      [quiet, 1],
    ];
    run(32, wished);
    const [before] = run(6, wished);
    const [first] = run(1, wished);
    const [second] = run(1, wished);
    const [after] = run(2, wished);
    expect(before).toBeGreaterThan(0.35 * ALL_MIB);
    expect(first).toBeLessThan(0.8 * (before as number));
    expect(second).toBeLessThan(0.8 * (before as number));
    expect(after).toBeGreaterThan(0.9 * (before as number));
  });

  test('as much as another flood; and who brings alike is held for nobody', () => {
    const [one, two] = open()(30, [
      [flood, ALL_MIB / 2],
      [other, ALL_MIB / 2],
      [quiet, 1],
    ]);
    expect(one).toBeLessThan(0.45 * ALL_MIB);
    expect(two).toBeCloseTo(one as number, -1);
    const alike = open(() => 1)(30, [
      [flood, 40],
      [other, 60],
    ]);
    expect(alike).toEqual([expect.closeTo(40), expect.closeTo(60)]);
  });
});

describe('the share of cores that is used', () => {
  const reading = (own: number, idle: number, atMs: number) => ({ own, idle, atMs });
  const shareOf = (after: ReturnType<typeof reading>, cores: number) => {
    const readings = [reading(0, 0, 0), after];
    return createUsedShare(() => readings.shift() ?? after, cores)();
  };

  test('counts what other programs leave, or what a container allows', () => {
    expect(shareOf(reading(1500, 500, 1000), 2)).toBe(0.75);
    expect(shareOf(reading(500, 0, 1000), 2)).toBe(1);
    expect(shareOf(reading(1900, 60_000, 1000), 2)).toBe(0.95);
  });

  test('is none where no time passed or the counts went back', () => {
    expect(shareOf(reading(10, 10, 0), 2)).toBe(0);
    expect(shareOf(reading(-5, -10, 1000), 2)).toBe(0);
    expect(shareOf(reading(500, -10, 1000), 2)).toBe(1);
  });

  test('is told of this machine', () => {
    const share = createUsedShare();
    for (const end = performance.now() + 30; performance.now() < end; );
    expect(share()).toBeGreaterThan(0);
    expect(share()).toBeLessThanOrEqual(1);
  });
});
