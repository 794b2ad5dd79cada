import { expect, test } from 'vitest';
import { fitZoom, scrollAfterZoom, stepZoom, ZOOMS } from './map-zoom.ts';

test('goes through its sizes and ends at the last', () => {
  expect([stepZoom(1, 1), stepZoom(1, -1)]).toEqual([1.25, 0.8]);
  expect([stepZoom(2, 1), stepZoom(0.25, -1)]).toEqual([2, 0.25]);
  expect([stepZoom(0.9, 1), stepZoom(0.9, -1)]).toEqual([1, 0.8]);
  expect(ZOOMS.reduce((zoom) => stepZoom(zoom, 1), 0.25 as number)).toBe(2);
});

test('fits a wide map, and never magnifies a small one', () => {
  expect(fitZoom(2000, 1000)).toBe(0.5);
  expect(fitZoom(500, 1000)).toBe(1);
  expect(fitZoom(100_000, 1000)).toBe(0.25);
  expect(fitZoom(500, 0)).toBe(1);
});

test('keeps what is under the pointer there', () => {
  expect(scrollAfterZoom({ scroll: 200, at: 100, before: 1, after: 2 })).toBe(500);
  expect(scrollAfterZoom({ scroll: 0, at: 300, before: 1, after: 0.5 })).toBe(0);
});
