import { expect, test } from 'vitest';
import { parseResult } from './parse-result.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const RESULT = {
  result_id: '0192f0c1-2345-7abc-8def-0123456789ab',
  tenant_id: 'acme',
  agent_id: 'a1',
  canary_type: 'endpoint.session',
  server_address: 'app.example',
  server_port: 443,
  success: true,
  started_at: '2026-11-21T11:59:00.123456789Z',
  duration_ms: 12.5,
  present: true,
  metrics: { 'total.ms': 250 },
  attributes: { 'url.full': 'https://app.example/' },
};
const parse = (value: unknown) =>
  parseResult(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), 'acme', NOW);

test('takes a canonical result with its time in milliseconds', () => {
  expect(parse(RESULT)).toEqual({ result: RESULT, startedAtMs: Date.UTC(2026, 10, 21, 11, 59, 0, 123) });
  expect(parse({ ...RESULT, started_at: '2026-11-21T13:59:00+02:00' })).toMatchObject({
    startedAtMs: Date.UTC(2026, 10, 21, 11, 59),
  });
});

test.each(['', '{', 'null', '[]', '"text"', '42', '{}'])('refuses %j', (text) => {
  expect(['not_json', 'wrong_shape']).toContain(parse(text));
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
test.each([
  ['result_id', 'not-a-uuid'],
  ['agent_id', 5],
  ['canary_type', 'endpoint.bssid'],
  ['server_port', 70_000],
  ['success', 'yes'],
  ['error', 'x'.repeat(513)],
  ['started_at', 'yesterday'],
  ['duration_ms', '5'],
  ['present', undefined],
  ['metrics', { 'total.ms': '250' }],
  ['metrics', { 'total.ms': null }],
  ['metrics', [1]],
  ['metrics', many(513)],
  ['metrics', { ['k'.repeat(129)]: 1 }],
  ['attributes', { 'url.full': 5 }],
  ['attributes', { 'url.full': 'x'.repeat(1025) }],
])('refuses a result whose %s is %j', (field, value) => {
  expect(parse({ ...RESULT, [field]: value })).toBe('wrong_shape');
});

test('refuses a result of another tenant than the key of the bus says', () => {
  expect(parse({ ...RESULT, tenant_id: 'other' })).toBe('wrong_tenant');
});

test('refuses what is beyond its retention or far ahead of the clock', () => {
  expect(parse({ ...RESULT, started_at: '2026-10-22T11:59:00Z' })).toBe('out_of_time');
  expect(parse({ ...RESULT, started_at: '2026-11-21T13:00:01Z' })).toBe('out_of_time');
  expect(parse({ ...RESULT, started_at: '2026-11-21T12:59:00Z' })).toMatchObject({ result: {} });
});
