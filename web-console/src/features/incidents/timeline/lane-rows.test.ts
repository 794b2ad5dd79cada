import { expect, it } from 'vitest';
import { incidentOf, signalOf } from '../test-incidents.ts';
import { countOpen, failingAt, focusOf, lanesOf, packBars, stepOf, stripOf } from './lane-rows.ts';

const signals = [
  signalOf({ id: 'a', title: 'A', occurred_at: '2026-11-24T14:10:00Z' }),
  signalOf({ id: 'b', title: 'B', occurred_at: '2026-11-24T14:05:00Z', recovered_at: '2026-11-24T14:08:00Z' }),
  signalOf({ id: 'c', title: 'C', plane: 'endpoint', occurred_at: '2026-11-24T14:06:00Z' }),
];
const at = (clock: string) => Date.parse(`2026-11-24T${clock}Z`);

it('has a lane for each plane that said something, bars by their begin', () => {
  expect(lanesOf(signals).map(({ plane, bars }) => [plane, bars.map(({ id }) => id)])).toEqual([
    ['tests', ['b', 'a']],
    ['endpoint', ['c']],
  ]);
});

it('packs bars that do not overlap into one row, and counts those that find none', () => {
  const bar = (id: string, from: number, to?: number) => ({ id, title: id, from, to });
  const bars = [bar('a', 0, 2), bar('b', 1, 3), bar('c', 2, 4), bar('d', 3), bar('e', 9), bar('f', 9)];
  const { rows, left } = packBars(bars, 2);
  expect(rows.map((row) => row.map(({ id }) => id))).toEqual([
    ['a', 'c', 'e'],
    ['b', 'd'],
  ]);
  expect(left).toBe(1);
});

it('looks at the incident from a quarter of an hour before it until now, in three hours at least', () => {
  const now = at('14:20:30');
  const view = { incident: incidentOf({}), signals };
  expect(focusOf(view, now)).toEqual({ from: at('13:48:00'), to: at('14:21:00') });
  const strip = stripOf(view, now);
  expect(strip).toEqual({ from: at('11:21:00'), to: at('14:21:00') });
  expect(stepOf(strip)).toBe(180_000);
});

it('looks at one that is over with as much after it as before it', () => {
  const view = { incident: incidentOf({ resolved_at: '2026-11-24T20:03:18Z', status: 'resolved' }), signals };
  const focus = focusOf(view, at('23:00:00') + 86_400_000);
  expect(focus).toEqual({ from: at('12:33:00'), to: at('21:34:00') });
  const strip = stripOf(view, at('23:00:00') + 86_400_000);
  expect(strip.from).toBeLessThan(focus.from);
  expect(strip.to).toBeGreaterThan(focus.to);
});

it('knows what had not recovered at a moment, and how many over time', () => {
  const lanes = lanesOf(signals);
  expect(failingAt(lanes, at('14:07:00'))).toEqual([
    { plane: 'tests', titles: ['B'] },
    { plane: 'endpoint', titles: ['C'] },
  ]);
  expect(failingAt(lanes, at('14:12:00'))[0]?.titles).toEqual(['A']);
  const strip = { from: at('14:00:00'), to: at('14:20:00') };
  expect(countOpen(lanes, { strip, steps: 5, now: at('14:13:00') })).toEqual([0, 2, 2, 2, 0]);
});
