import { describe, expect, test, vi } from 'vitest';
import { BEYOND, KNOWN, KnownSeries, NEW } from './known-series.ts';

const DAY = 86_400_000;
const NOON = Date.parse('2026-11-10T12:00:00Z');
/** Numbers that spread, as fingerprints do. */
const halves = (i: number) => ({ low: Math.imul(i + 1, 0x9e3779b1) >>> 0, high: Math.imul(i + 7, 0x85ebca6b) >>> 0 });
const METRIC = halves(-100);

function makeKnown(perDay = 100, readAfter = 0) {
  const known = new KnownSeries({ perDay, readAfter });
  /** What becomes of series `from` to `to`, and their batch is stored. */
  const bring = (tenant: string, [from, to]: [number, number], { at = NOON, isStored = true } = {}): number[] => {
    known.begin(tenant, at);
    const counts = [0, 0, 0];
    for (let i = from; i < to; i++) {
      const became = known.admit(halves(i), at, METRIC);
      counts[became] = (counts[became] ?? 0) + 1;
    }
    const stored = known.finish();
    if (isStored) stored();
    return [counts[KNOWN] ?? 0, counts[NEW] ?? 0, counts[BEYOND] ?? 0];
  };
  return { known, bring };
}

describe('series of one tenant', () => {
  test('of ten times the bound of a day the first are taken and stay, and no other tenant is touched', () => {
    const { bring } = makeKnown();
    expect(bring('acme', [0, 1000])).toEqual([0, 100, 900]);
    expect(bring('acme', [0, 1000])).toEqual([100, 0, 900]);
    expect(bring('quiet', [0, 50])).toEqual([0, 50, 0]);
    expect(bring('acme', [0, 100], { at: NOON + 3_600_000 })).toEqual([100, 0, 0]);
  });

  test('a new day takes new ones, up to twice a day’s in all; what is not seen for two days makes room', () => {
    const { bring } = makeKnown();
    expect(bring('acme', [0, 100])).toEqual([0, 100, 0]);
    expect(bring('acme', [0, 300], { at: NOON + DAY })).toEqual([100, 100, 100]);
    expect(bring('acme', [0, 300], { at: NOON + 2 * DAY })).toEqual([200, 0, 100]);
    expect(bring('acme', [0, 100], { at: NOON + 3 * DAY })).toEqual([100, 0, 0]);
    expect(bring('acme', [300, 500], { at: NOON + 4 * DAY })).toEqual([0, 100, 100]);
  });

  test('a clock that goes an hour back over midnight, and forth again, opens no second budget', () => {
    const { bring } = makeKnown();
    const midnight = NOON + DAY / 2;
    bring('acme', [0, 90], { at: midnight - 60_000 });
    expect(bring('acme', [100, 200], { at: midnight + 60_000 })).toEqual([0, 100, 0]);
    expect(bring('acme', [200, 300], { at: midnight - 3_600_000 })).toEqual([0, 10, 90]);
    expect(bring('acme', [300, 400], { at: midnight + 120_000 })).toEqual([0, 0, 100]);
    expect(bring('acme', [0, 90], { at: midnight - 120_000 })).toEqual([90, 0, 0]);
  });

  test('a series that goes on in the next month is written again, and is not new', () => {
    const { bring } = makeKnown();
    const lastOfMonth = Date.parse('2026-11-30T23:59:00Z');
    bring('acme', [0, 100], { at: lastOfMonth });
    expect(bring('acme', [0, 100], { at: lastOfMonth + 120_000 })).toEqual([0, 100, 0]);
    expect(bring('acme', [100, 201], { at: lastOfMonth + 120_000 })[2]).toBeGreaterThan(0);
    expect(bring('acme', [0, 100], { at: lastOfMonth + 180_000 })).toEqual([100, 0, 0]);
  });

  test('what is not stored comes again and counts once', () => {
    const { known, bring } = makeKnown();
    for (let i = 0; i < 20; i++) expect(bring('acme', [0, 100], { isStored: false })).toEqual([0, 100, 0]);
    known.begin('acme', NOON);
    known.admit(halves(0), NOON, METRIC);
    known.reset();
    expect(bring('acme', [0, 100])).toEqual([0, 100, 0]);
    expect(bring('acme', [0, 101])).toEqual([100, 0, 1]);
  });

  test('what could not be built takes no room, however often it is tried', () => {
    const { known, bring } = makeKnown();
    for (let n = 0; n < 10; n++) {
      known.begin('acme', NOON);
      for (let i = 0; i < 50; i++) known.admit(halves(1000 * (n + 1) + i), NOON, METRIC);
      known.reset();
    }
    expect(known.day.admitted).toBe(0);
    expect(bring('acme', [0, 101])).toEqual([0, 100, 1]);
  });

  test('no more metrics are named by new series of a day than 10,000', () => {
    const { known } = makeKnown(100_000);
    known.begin('acme', NOON);
    const became = Array.from({ length: 100_000 }, (_, i) => known.admit(halves(i), NOON, halves(-i - 200)));
    expect(became.filter((one) => one === NEW)).toHaveLength(10_000);
    expect(known.admit(halves(0), NOON, METRIC)).toBe(KNOWN);
  });
});

describe('what the store has', () => {
  test('is asked for before many series are judged, and then stays known beyond the bound', () => {
    const { known, bring } = makeKnown(100, 50);
    bring('acme', [0, 40]);
    expect([...known.unread]).toEqual([]);
    bring('acme', [40, 300], { isStored: false });
    expect([...known.unread]).toEqual(['acme']);
    const stored = Uint32Array.from(Array.from({ length: 80 }, (_, i) => [halves(i + 500).low, halves(i + 500).high]).flat());
    const days = new Map([[Math.floor(NOON / DAY), 95]]);
    known.learn({ tenant: 'acme', months: new Map([[202611, stored]]), days });
    expect([...known.unread]).toEqual([]);
    expect(bring('acme', [500, 580])).toEqual([80, 0, 0]);
    expect(bring('acme', [1000, 1100])).toEqual([0, 0, 100]);
    // Of 200 that may be active, 120 are.
    expect(bring('acme', [1000, 1100], { at: NOON + DAY })).toEqual([0, 80, 20]);
  });

  test('counts once, also where two batches asked for it', () => {
    const { known, bring } = makeKnown(100, 50);
    const stored = Uint32Array.from(Array.from({ length: 60 }, (_, i) => [halves(i + 500).low, halves(i + 500).high]).flat());
    const inStore = { tenant: 'acme', months: new Map([[202611, stored]]), days: new Map() };
    bring('acme', [0, 80], { isStored: false });
    known.learn(inStore);
    expect(bring('acme', [0, 80])).toEqual([0, 80, 0]);
    known.learn(inStore);
    expect(bring('acme', [1000, 1100])).toEqual([0, 20, 80]);
  });

  test('admits no new series while it cannot be read, and is asked for again later', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { known, bring } = makeKnown(100, 50);
    bring('acme', [0, 50]);
    bring('acme', [50, 80], { isStored: false });
    known.learn({ tenant: 'acme', months: new Map(), days: new Map(), isUnreadable: true });
    expect(bring('acme', [50, 80])).toEqual([0, 0, 30]);
    expect([...known.unread]).toEqual([]);
    vi.advanceTimersByTime(10_001);
    bring('acme', [50, 80], { isStored: false });
    expect([...known.unread]).toEqual(['acme']);
    known.learn({ tenant: 'acme', months: new Map(), days: new Map([[Math.floor(NOON / DAY), 45]]) });
    expect(bring('acme', [50, 80])).toEqual([0, 5, 25]);
    vi.useRealTimers();
  });

  test('is asked for no more where its tenant was forgotten meanwhile', () => {
    const { known, bring } = makeKnown(100, 50);
    bring('acme', [0, 80], { isStored: false });
    for (let n = 0; n < 10_000; n++) known.begin(`tenant-${n}`, NOON);
    known.learn({ tenant: 'acme', months: new Map(), days: new Map() });
    expect([...known.unread]).toEqual([]);
  });
});

test('10 million series take bounded memory, and the quiet tenant is not forgotten', { timeout: 60_000 }, () => {
  const { known, bring } = makeKnown(50_000);
  bring('quiet', [0, 1000]);
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  for (let n = 0; n < 100; n++) bring('hostile', [n * 100_000, (n + 1) * 100_000], { at: NOON + n });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20);
  expect(bring('quiet', [0, 1000])).toEqual([1000, 0, 0]);
  expect(known.day.metrics.size).toBe(1);
});
