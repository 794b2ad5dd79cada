import { describe, expect, it } from 'vitest';
import { fillSilences, findSilences, nameHours } from './silences.ts';

const HOUR = 3_600_000;
const change = (hour: number, state: string, untilHour: number | null = null) => ({
  atMs: hour * HOUR,
  state,
  pausedUntilMs: untilHour === null ? null : untilHour * HOUR,
});
const span = (from: number, to: number) => ({ fromMs: from * HOUR, toMs: to * HOUR });
const measured = (from: number, to: number) => ({ ...span(from, to), cause: 'none' as const });
const paused = (from: number, to: number) => ({ ...span(from, to), verdict: 'paused' as const });

describe('silences of an agent', () => {
  it('last until the next state, the end of the pause or the end of the window', () => {
    const window = span(0, 10);
    expect(findSilences([change(1, 'paused'), change(2, 'running')], window)).toEqual([paused(1, 2)]);
    expect(findSilences([change(1, 'paused', 3)], window)).toEqual([paused(1, 3)]);
    expect(findSilences([change(-4, 'declined')], window)).toEqual([{ ...span(0, 10), verdict: 'declined' }]);
    expect(findSilences([change(1, 'paused', 4), change(2, 'paused', 6)], window)).toEqual([paused(1, 2), paused(2, 6)]);
    expect(findSilences([change(1, 'needs_permission'), change(11, 'paused'), change(-3, 'paused', -2)], window)).toEqual([]);
  });

  it('fill what no verdict covers and never hide one', () => {
    const verdicts = [measured(0, 2), measured(3, 4), measured(6, 8)];
    expect(
      fillSilences(verdicts, [paused(1, 7)]).map(({ fromMs, toMs, verdict }) => [fromMs / HOUR, toMs / HOUR, verdict]),
    ).toEqual([
      [0, 2, 'none'],
      [2, 3, 'paused'],
      [3, 4, 'none'],
      [4, 6, 'paused'],
      [6, 8, 'none'],
    ]);
    expect(fillSilences([], [paused(1, 2)])).toEqual([paused(1, 2)]);
    expect(fillSilences([measured(0, 9)], [paused(1, 2)])).toHaveLength(1);
  });

  it('name an hour when they held for half of it, as far as it has passed', () => {
    const strip = { fromMs: 0, stepMs: HOUR, nowMs: 3.5 * HOUR };
    const silences = [paused(0.6, 1.5), paused(3.2, 3.5)];
    expect(nameHours([null, null, 'wifi', null], silences, strip)).toEqual(['not_measured', 'paused', 'wifi', 'paused']);
    expect(nameHours([null], [{ ...span(0, 1), verdict: 'declined' }], strip)).toEqual(['declined']);
  });
});
