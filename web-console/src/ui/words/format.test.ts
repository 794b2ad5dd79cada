import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatBytes,
  formatDuration,
  formatMoment,
  formatMs,
  formatPercentFigure,
  formatSpan,
  formatUtc,
  joinWords,
  withUnit,
} from './format.ts';

const plain = (text: string): string => text.replace(/[\u202f\u00a0]/g, ' ');

describe('figures', () => {
  it('gives milliseconds below a second and seconds above, never a false precision', () => {
    expect([0, 0.44, 9.9, 310, 999.4, 999.6, 1180, 6400, 75_000].map((ms) => plain(formatMs(ms)))).toEqual([
      '0 ms',
      '0.4 ms',
      '9.9 ms',
      '310 ms',
      '999 ms',
      '1.00 s',
      '1.18 s',
      '6.4 s',
      '75 s',
    ]);
  });

  it('shows no loss as a bare zero and small loss with a digit', () => {
    expect([0, 0.004, 0.048, 0.12, 1].map(formatPercentFigure)).toEqual(['0', '0.4', '4.8', '12', '100']);
  });

  it('writes a true minus and a thin no-break space before the unit', () => {
    expect(withUnit(-79, 'dBm')).toBe('\u221279\u202fdBm');
  });

  it('steps through decimal units of bytes without ever reading 1000', () => {
    expect([640, 999_600, 1_400_000, 71_000_000].map((bytes) => plain(formatBytes(bytes)))).toEqual([
      '640 B',
      '1.0 MB',
      '1.4 MB',
      '71 MB',
    ]);
  });
});

describe('times', () => {
  it('tells an age in one unit and never a negative one', () => {
    const ages = [-5000, 8000, 99_000, 240_000, 3 * 3_600_000, 3 * 86_400_000];
    expect(ages.map((ms) => plain(formatAge(ms)))).toEqual(['0 s', '8 s', '99 s', '4 min', '3 h', '3 d']);
  });

  it('tells a length in hours and minutes', () => {
    expect([300_000, 3_600_000, 15_900_000].map((ms) => plain(formatDuration(ms)))).toEqual(['5 min', '1 h', '4 h 25 min']);
  });

  it('names yesterday and the year only when it is another one', () => {
    const now = new Date(2026, 10, 21, 14, 7).getTime();
    expect(formatMoment(new Date(2026, 10, 21, 8, 42).getTime(), now)).toBe('08:42');
    expect(formatMoment(new Date(2026, 10, 20, 16, 0).getTime(), now)).toBe('yesterday 16:00');
    expect(formatMoment(new Date(2026, 10, 3, 9, 15).getTime(), now)).toBe('3 Nov 09:15');
    expect(formatMoment(new Date(2025, 10, 3, 9, 15).getTime(), now)).toBe('3 Nov 2025 09:15');
  });

  it('a span names each day once, and today where only its end is of today', () => {
    const now = new Date(2026, 10, 21, 9, 0).getTime();
    const at = (day: number, hour: number): number => new Date(2026, 10, day, hour, 4).getTime();
    expect(formatSpan(at(21, 7), at(21, 8), now)).toBe('07:04 to 08:04');
    expect(formatSpan(at(18, 7), at(18, 8), now)).toBe('18 Nov 07:04 to 08:04');
    expect(formatSpan(at(18, 8), at(21, 8), now)).toBe('18 Nov 08:04 to today 08:04');
    expect(formatSpan(at(17, 8), at(20, 8), now)).toBe('17 Nov 08:04 to yesterday 08:04');
  });

  it('gives UTC for the tooltip', () => {
    expect(formatUtc('2026-11-21T14:07:05.250Z')).toBe('2026-11-21 14:07:05 UTC');
  });
});

it('joins words as a sentence does', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinWords)).toEqual(['', 'a', 'a and b', 'a, b and c']);
});
