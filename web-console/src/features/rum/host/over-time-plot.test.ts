import { expect, it } from 'vitest';
import { hurtHost } from '../../../testing/rum-examples.ts';
import { type Point, placePlot, readingWords, tracePath } from './over-time-plot.ts';

const scale = { toX: (at: number) => at, toY: (value: number) => value };
const point = (more: Partial<Point>): Point => ({
  ...{ at: '2026-11-24T12:00:00.000Z', views: 80, error_rate: 0.034, failed_requests: 0, p75: { lcp: 5200 } },
  ...more,
});

it('breaks a line where nothing was measured, and draws a point between two gaps', () => {
  const values = [1, undefined, 2, undefined, 3, 4].map((value, at) => ({ at, value }));
  expect(tracePath(values, scale)).toBe('M0.0 1.0h2M2.0 2.0h2M4.0 3.0L5.0 4.0');
});

it('keeps the limit in sight, also where all is far below it', () => {
  const { series } = hurtHost();
  const quick = series.points.map((one) => ({ ...one, p75: { lcp: 900 } }));
  const plot = placePlot({ points: quick, drawn: 'lcp', span: { from: 0, to: 1 }, width: 600 });
  expect(plot.word).toBe('seconds');
  expect(plot.ticks.at(-1)?.value).toBeGreaterThanOrEqual(4.2);
});

it('reads a moment in words, and says where too few views have the value', () => {
  expect(readingWords(point({}), 'lcp')).toMatch(/: LCP 5\.2\ss, TTFB too few views, 80 views$/);
  expect(readingWords(point({ views: 1 }), 'errors')).toMatch(/: Errors 3\.4%, 1 view$/);
});
