import { expect, test } from 'vitest';
import { describeGap, describeMap, formatRate } from './map-words.ts';

test.each([
  [1234, '1,234/s'],
  [31.4, '31/s'],
  [1.25, '1.3/s'],
  [0.2, '12/min'],
  [0.02, '1.2/min'],
  [0.001, 'under 1/min'],
  [0, 'no calls'],
])('a rate of %d', (rate, words) => {
  expect(formatRate(rate)).toBe(words);
});

const measures = { calls: 100, rate: 1, p50_ms: 1, p95_ms: 1 };
const node = (name: string) => ({
  ...measures,
  id: `service:${name}`,
  name,
  kind: 'service' as const,
  errors: 0,
  error_ratio: 0,
  bytes_in: 0,
  bytes_out: 0,
});
const edge = (target: string, errors: number) => ({
  ...measures,
  source: 'service:web',
  target: `service:${target}`,
  kind: 'call' as const,
  errors,
  error_ratio: errors / 100,
  bytes: 0,
});
const map = (errors: number[]) => ({
  from: '',
  to: '',
  computed_to: null,
  spans: 1,
  gaps: [],
  nodes: [node('web'), node('pay'), node('ship')],
  edges: errors.map((count, i) => edge(i === 0 ? 'pay' : 'ship', count)),
});

test('says where it hurts first', () => {
  expect(describeMap(map([0, 0]))).toBe('3 services, 2 connections: no connection fails more than 1% of its calls.');
  expect(describeMap(map([4, 9]))).toBe('web to ship fails 9.0% of its calls. Elsewhere one connection fails.');
  expect(describeMap(map([12, 0]))).toBe('web to pay fails 12% of its calls.');
});

test('says what it cannot see with how much of it', () => {
  expect(describeGap({ code: 'unseen_callers', count: 5, total: 50, names: [] })).toContain('5 requests (10%)');
  expect(describeGap({ code: 'no_server_spans', count: 2, total: null, names: ['cron', 'batch'] })).toBe(
    'cron and batch send no server spans: who calls them cannot be seen.',
  );
});

test('names the deepest failing connection, not the one with the most errors', () => {
  const link = (source: string, target: string, errors: number) => ({ ...edge('', errors), source, target });
  const chain = [
    link('service:web', 'service:pay', 40),
    link('service:pay', 'host:psp', 30),
    link('service:web', 'service:ship', 2),
  ];
  const of = (edges: typeof chain) => ({ ...map([]), nodes: [...map([]).nodes, { ...node('psp'), id: 'host:psp' }], edges });
  expect(describeMap(of(chain))).toBe(
    'pay to psp fails 30% of its calls, and with it one connection leading there. Elsewhere one connection fails.',
  );
  const circle = [link('service:web', 'service:pay', 40), link('service:pay', 'service:web', 50)];
  expect(describeMap(of(circle))).toContain('pay to web fails 50');
  expect(describeMap(of([link('service:pay', 'service:pay', 5)]))).toBe('pay to pay fails 5.0% of its calls.');
});
