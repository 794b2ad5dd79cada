import { describe, expect, it } from 'vitest';
import { describeDurations, findUnstableTwice, keepDurations, keepUnstable, readDurations, readUnstable } from './kept.js';
import { findRetryFaults } from './retries.js';
import { listLongParts } from './steps.js';

const NOTHING = { steps: {}, unstable: [] };

describe('durations', () => {
  it('are shown slowest first, and beside those that are kept', () => {
    const files = [
      { file: 'quick.test.ts', seconds: 0.2 },
      { file: 'same.test.ts', seconds: 10 },
      { file: 'slower.test.ts', seconds: 20 },
      { file: 'new.test.ts', seconds: 30 },
    ];
    expect(describeDurations('Unit', files, { files: { 'same.test.ts': 9, 'slower.test.ts': 5 } })).toEqual([
      'Slowest of Unit (4 files):',
      '    30.0 s  new.test.ts',
      '    20.0 s  slower.test.ts',
      '    10.0 s  same.test.ts',
      '  slower than kept: slower.test.ts took 20.0 s, kept 5.0 s',
    ]);
  });

  it('are kept of steps that passed', () => {
    const kept = { ...NOTHING, steps: { e2e: { seconds: 9, files: { 'a.spec.ts': 9 } } } };
    const files = {
      unit: [
        { file: 'a.test.ts', seconds: 0.4 },
        { file: 'b.test.ts', seconds: 2.04 },
      ],
      e2e: [],
    };
    expect(keepDurations(kept, { files, seconds: { unit: 5, e2e: 1 }, isWhole: { unit: true, e2e: false } }).steps).toEqual({
      e2e: { seconds: 9, files: { 'a.spec.ts': 9 } },
      unit: { seconds: 5, files: { 'b.test.ts': 2 } },
    });
  });
});

describe('durations of a log', () => {
  it('are read of the steps that passed, as far as it shows them', () => {
    const files = [
      { file: 'a.test.ts', seconds: 12.3 },
      { file: 'b.test.ts', seconds: 4 },
    ];
    const log = [
      '> == Unit: passed in 20 s',
      ...describeDurations('Unit', files),
      '== E2e: FAILED in 3 s',
      ...describeDurations('E2e', files),
    ];
    const steps = { unit: { title: 'Unit' }, e2e: { title: 'E2e' }, lint: { title: 'Lint' } };
    expect(readDurations([...log, '', 'x'].join('\n'), steps)).toEqual({
      unit: { seconds: 20, files: { 'a.test.ts': 12.3, 'b.test.ts': 4 } },
    });
  });
});

describe('unstable tests', () => {
  const log = 'x\nunstable: a.test.ts, a, and more\n> unstable: b.test.ts, b\nFailed: c\n';

  it('are read from a log, and a file is named once two runs have it', () => {
    const found = readUnstable(log);
    // CI repeats its closing lines.
    expect(readUnstable(`${log}\n${log}`)).toEqual(found);
    expect(found).toEqual([
      { file: 'a.test.ts', test: 'a, and more' },
      { file: 'b.test.ts', test: 'b' },
    ]);
    const once = keepUnstable(NOTHING, [...found, { file: 'a.test.ts', test: 'another' }], '2026-11-25T10:00');
    expect(findUnstableTwice(once)).toEqual([]);
    expect(findUnstableTwice(keepUnstable(once, [{ file: 'a.test.ts', test: 'a' }], '2026-11-25T11:00'))).toEqual(['a.test.ts']);
  });
});

describe('retries inside the suite', () => {
  const texts: Record<string, string> = {
    'a.test.ts': "it('a', { retry: 2 }, () => {});",
    'b.test.ts': 'expect(outcome).toEqual({ retry: false });',
    'src/c.ts': 'connect({ retries: 3 });',
  };
  const find = (entries: { file: string; reason: string; expires: string }[]) =>
    findRetryFaults({ entries, files: Object.keys(texts), read: (file: string) => texts[file], today: '2026-11-25' });
  const entry = { file: 'a.test.ts', reason: 'three programs', expires: '2026-12-01' };

  it('are those that the list names, with a reason, until they expire', () => {
    expect(find([entry])).toEqual([]);
    expect(find([])).toEqual(['a.test.ts: retries, and scripts/test/retries.json does not name it']);
    expect(find([{ ...entry, expires: '2026-11-24' }])).toEqual(['a.test.ts: its retry expired on 2026-11-24; mend the test']);
    expect(find([{ ...entry, reason: '' }])).toEqual(['a.test.ts: needs a reason and an expiry date']);
    expect(find([entry, { ...entry, file: 'b.test.ts' }])).toEqual(['b.test.ts: is named and retries nothing']);
  });
});

describe('the long lane', () => {
  it('is in parts of six minutes at most, with what is kept of each', () => {
    const parts = listLongParts({ steps: { fuzz: { seconds: 100, files: {} } } });
    expect(parts.length).toBeGreaterThan(5);
    for (const { name, seconds } of parts) expect(seconds, name).toBeLessThanOrEqual(360);
    expect(parts.find(({ name }: { name: string }) => name === 'fuzz')).toEqual({ name: 'fuzz', seconds: 140 });
  });
});
