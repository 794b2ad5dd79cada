import { describe, expect, it } from 'vitest';
import { type FoldedRun, foldRuns, forgetBefore, type HeadState } from './fold-head.ts';

/** Runs a minute apart: `.` passed, `x` failed, `-` could not be measured. */
const runs = (text: string, from = 0): FoldedRun[] =>
  [...text].map((kind, i) => ({
    last: { resultId: `r${from + i}`, startedAtMs: (from + i) * 60_000, success: kind === '.', fault: undefined },
    notRun: kind === '-',
    certificate: undefined,
  }));
const fold = (text: string, needed = 3) => foldRuns(undefined, runs(text), needed);
const minute = (state: HeadState | undefined) => ({
  failing: state?.failing,
  since: state?.sinceMs === undefined ? undefined : state.sinceMs / 60_000,
});

describe('the latch', () => {
  it.each([
    ['...', 3, { failing: false, since: 0 }],
    ['xx', 3, { failing: false, since: 0 }],
    ['xxx', 3, { failing: true, since: 0 }],
    ['..xxx', 3, { failing: true, since: 2 }],
    ['..xxx..', 3, { failing: true, since: 2 }],
    ['..xxx...', 3, { failing: false, since: 5 }],
    ['..xx.xx.xx.', 3, { failing: false, since: 0 }],
    ['..xxx.x.x.', 3, { failing: true, since: 2 }],
    ['..xxx...xxx', 3, { failing: true, since: 8 }],
    ['..x-x-x', 3, { failing: true, since: 2 }],
    ['---', 3, { failing: false, since: undefined }],
    ['x', 1, { failing: true, since: 0 }],
    ['x.', 1, { failing: false, since: 1 }],
  ])('%s with %i in a row', (text, needed, wanted) => {
    expect(minute(fold(text, needed))).toEqual(wanted);
  });

  it('comes to the same one run at a time, all at once, twice, and in any order', () => {
    for (const text of ['..xxx...xxx.x.', 'xxx', '.', 'x.x.xxx..', `${'.'.repeat(50)}xxx${'x.'.repeat(40)}`]) {
      let state: HeadState | undefined;
      for (const [i] of [...text].entries()) {
        state = foldRuns(state, runs(text[i] ?? '', i), 3);
        // Delivered again.
        state = foldRuns(state, runs(text[i] ?? '', i), 3);
      }
      if (text.length <= 24) expect(minute(state)).toEqual(minute(fold(text)));
      const again = foldRuns(state, runs(text).slice(-10).toReversed(), 3);
      expect(minute(again)).toEqual(minute(state));
    }
  });

  it('remembers since when, however long it has been so', () => {
    let state = foldRuns(undefined, runs('..xxx'), 3);
    for (let i = 5; i < 500; i += 1) state = foldRuns(state, runs('x', i), 3);
    expect(minute(state)).toEqual({ failing: true, since: 2 });
    // Flapping for longer than what is remembered ends nothing.
    for (let i = 500; i < 600; i += 1) state = foldRuns(state, runs(i % 2 ? 'x' : '.', i), 3);
    expect(minute(state)).toEqual({ failing: true, since: 2 });
    state = foldRuns(state, runs('...', 600), 3);
    expect(minute(state)).toMatchObject({ failing: false });
  });
});

describe('a pause', () => {
  /** What came before it, and each run since, as they come: `resumed` is the minute in which it ended. */
  const across = (before: string, resumed: number, since: string): HeadState | undefined => {
    let state = foldRuns(undefined, runs(before), 3);
    for (const [i, kind] of [...since].entries())
      state = foldRuns(state && forgetBefore(state, resumed * 60_000), runs(kind, resumed + i), 3);
    return state;
  };

  it.each([
    ['xxx', 'x', { failing: false, since: 9000 }],
    ['xxx', 'xx', { failing: false, since: 9000 }],
    ['xxx', 'xxx', { failing: true, since: 9000 }],
    ['xx', 'x', { failing: false, since: 9000 }],
    ['xxx', '.xxx', { failing: true, since: 9001 }],
    ['xxx', '-x-xx', { failing: true, since: 9001 }],
    ['...', '.', { failing: false, since: 9000 }],
    ['xxx', '-', { failing: false, since: undefined }],
    ['xxx', 'x'.repeat(60), { failing: true, since: 9000 }],
  ])('of days between %s and %s ends every streak', (before, since, wanted) => {
    expect(minute(across(before, 9000, since))).toEqual(wanted);
  });

  it('leaves what is shown, and is the same told once more', () => {
    const state = foldRuns(undefined, runs('xxx'), 3);
    const once = state && forgetBefore(state, 9000 * 60_000);
    expect(once?.last.resultId).toBe('r2');
    expect(once && forgetBefore(once, 9000 * 60_000)).toEqual(once);
    expect(state && forgetBefore(state, undefined)).toBe(state);
  });
});

it('shows the newest run, and tells when the certificate became another one', () => {
  const certified = (i: number, fingerprint: string): FoldedRun =>
    ({ ...runs('.', i)[0], certificate: { fingerprint } }) as unknown as FoldedRun;
  let state = foldRuns(undefined, [certified(0, 'a'), certified(1, 'a')], 3);
  expect(state?.certificate).toMatchObject({ atMs: 60_000, changedAtMs: undefined });
  state = foldRuns(state, [certified(3, 'b')], 3);
  state = foldRuns(state, [certified(2, 'a')], 3);
  expect(state?.last.resultId).toBe('r3');
  expect(state?.certificate).toMatchObject({ facts: { fingerprint: 'b' }, changedAtMs: 180_000 });
});
