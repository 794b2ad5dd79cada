import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../api-types.ts';
import { describeLimits, describeParts, describeTrace, formatNs, sharesOf } from './trace-words.ts';

const plain = (text: string): string => text.replaceAll(/[\u202f\u00a0]/g, ' ');
const service = (name: string, critical: number, errors = 0) => ({
  name,
  spans: 1,
  errors,
  own_ns: critical,
  critical_ns: critical,
});
const trace = (more: Partial<Trace> = {}): Trace => ({
  trace_id: 'a'.repeat(32),
  started_at: '2026-11-21T10:00:00.000Z',
  start_unix_nano: '0',
  duration_ns: 1.84e9,
  root: { service: 'web', name: 'POST /buy', seen: true, duration_ns: 1.84e9 },
  span_count: 0,
  errors: 0,
  services: [],
  wire_ns: 0,
  missing_parents: 0,
  skews: [],
  spans: [],
  ...more,
});

test.each([
  [800, '800 ns'],
  [1200, '1.2 µs'],
  [48_000, '48 µs'],
  [999_600, '1000 µs'],
  [1_840_000_000, '1.84 s'],
])('%d nanoseconds read %s', (ns, text) => {
  expect(plain(formatNs(ns))).toBe(text);
});

describe('the sentence', () => {
  test.each([
    ['one service alone', { services: [service('web', 5)] }, 'POST /buy took 1.84 s.'],
    [
      'most in one',
      { services: [service('postgres', 62), service('web', 38)] },
      'POST /buy took 1.84 s. 62% of it was postgres.',
    ],
    [
      'most on the wire',
      { services: [service('web', 4)], wire_ns: 6 },
      'POST /buy took 1.84 s. 60% of it passed between services.',
    ],
    [
      'spread out',
      { services: [service('a', 40), service('b', 35), service('c', 25)] },
      'POST /buy took 1.84 s. Most of it was a, 40%, and b, 35%.',
    ],
  ])('tells of %s', (_what, more, text) => {
    expect(plain(describeTrace(trace(more)))).toBe(text);
  });

  test('leaves out who was never waited for', () => {
    expect(sharesOf(trace({ services: [service('a', 5), service('idle', 0)] })).map(({ service: name }) => name)).toEqual(['a']);
  });

  test('gives no shares where clocks differ by more than a twentieth of the root', () => {
    const skewed = (skew_ns: number) =>
      trace({ services: [service('a', 5), service('b', 5)], skews: [{ parent: 'a', child: 'b', skew_ns, spans: 1 }] });
    const { duration_ns } = trace().root;
    expect(sharesOf(skewed(duration_ns / 25))).toHaveLength(2);
    expect(sharesOf(skewed(duration_ns / 15))).toEqual([]);
  });

  test('counts an error that is beyond the spans that are shown', () => {
    expect(describeParts(trace({ span_count: 10_050, errors: 1, services: [service('web', 1)] }))).toMatch(/, 1 error$/);
  });

  test('counts and names what failed', () => {
    expect(describeParts(trace({ span_count: 17, errors: 1, services: [service('web', 1), service('carrier', 1, 1)] }))).toBe(
      '17 spans, 2 services, 1 error in carrier',
    );
  });
});

test('says what is not there', () => {
  expect(describeLimits(trace())).toEqual([]);
  expect(describeLimits(trace({ span_count: 12_000 }))[0]).toContain('12,000 more are not');
  expect(describeLimits(trace({ missing_parents: 1 }))[0]).toContain('1 span names a parent');
  const skews = [{ parent: 'web', child: 'orders', skew_ns: 40e6, spans: 1 }];
  expect(plain(describeLimits(trace({ skews }))[0] ?? '')).toContain('web and orders differ by at least 40 ms');
});
