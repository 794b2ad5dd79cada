import { expect, test } from 'vitest';
import type { Scatter } from '../../api-types.ts';
import { describeScatter } from './traces-head.tsx';

const scatter = (more: Partial<Scatter>): Scatter => ({
  of: 'roots',
  from: '2026-11-21T10:00:00.000Z',
  to: '2026-11-21T11:00:00.000Z',
  total: 0,
  errors: 0,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  points: [],
  ...more,
});
const plain = (text: string): string => text.replaceAll(/[\u202f\u00a0]/g, ' ');

test('says how many, how many failed and how long they took', () => {
  const found = scatter({ total: 1204, errors: 12, p50_ms: 48, p99_ms: 812 });
  expect(plain(describeScatter(found, false))).toBe(
    '1,204 requests, 12 failed (1.0%). Half took up to 48 ms, one in a hundred 812 ms or more.',
  );
  expect(plain(describeScatter({ ...found, of: 'spans', total: 1, errors: 0 }, true))).toContain(
    '1 span that matches, none failed',
  );
  const only = { ...found, total: 33, errors: 33 };
  expect(describeScatter(only, true)).toContain('33 requests that match, all failed.');
  expect(describeScatter({ ...only, total: 1, errors: 1 }, true)).toContain('1 request that matches, and it failed.');
});

test('says that there is none', () => {
  expect(describeScatter(scatter({}), false)).toBe('No span in this time.');
  expect(describeScatter(scatter({}), true)).toBe('No span in this time matches.');
});
