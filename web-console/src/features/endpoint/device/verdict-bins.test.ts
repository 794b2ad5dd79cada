import { describe, expect, it } from 'vitest';
import { binSpans, findQuiet, ruleOf, type Span, timeByVerdict } from './verdict-bins.ts';

const MIN = 60_000;
const span = (from: number, to: number, verdict: Span['verdict']): Span => ({
  from: new Date(from * MIN).toISOString(),
  to: new Date(to * MIN).toISOString(),
  verdict,
});

describe('verdicts over time', () => {
  it('counts what no span covers as not measured', () => {
    const sums = timeByVerdict([span(10, 20, 'none'), span(20, 50, 'wifi')], { from: 0, to: 60 * MIN });
    expect(Object.fromEntries(sums)).toEqual({ none: 10 * MIN, wifi: 30 * MIN, not_measured: 20 * MIN });
  });

  it('is slow from a sixth of the time on', () => {
    const hour = (slowMinutes: number) =>
      ruleOf(timeByVerdict([span(0, slowMinutes, 'isp'), span(slowMinutes, 60, 'none')], { from: 0, to: 60 * MIN }), 60 * MIN);
    expect([9, 10].map(hour)).toEqual(['none', 'isp']);
  });

  it('lets any measurement win over silence', () => {
    expect(ruleOf(timeByVerdict([span(0, 5, 'none')], { from: 0, to: 60 * MIN }), 60 * MIN)).toBe('none');
  });

  it('cuts the window into bars, oldest first, and finds the quiet stretch', () => {
    const bins = binSpans([span(0, 20, 'none'), span(50, 60, 'wifi')], { from: 0, to: 60 * MIN }, 6);
    expect(bins).toEqual(['none', 'none', 'not_measured', 'not_measured', 'not_measured', 'wifi']);
    expect(findQuiet(bins, 3)).toEqual([{ start: 2, length: 3 }]);
    expect(findQuiet(bins, 4)).toEqual([]);
  });
});
