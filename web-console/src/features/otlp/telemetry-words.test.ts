import { expect, test } from 'vitest';
import {
  describeCreator,
  describeKept,
  describeReason,
  describeReceiving,
  describeRefused,
  describeSetAside,
} from './telemetry-words.ts';

const signal = (name: 'traces' | 'logs' | 'metrics', last_at: string | null) => ({
  signal: name,
  first_at: last_at,
  last_at,
  items: 0,
});
const AT = '2026-11-21T10:00:00.000Z';
const status = {
  listeners: [{ transport: 'grpc' as const, address: 'localhost:4317' }],
  ca: null,
  client_certificates: false,
  valid_tokens: 1,
  accepted_per_second: 1234.4,
  signals: [signal('traces', AT), signal('logs', AT), signal('metrics', null)],
  memory: null,
  unknown_tokens: { count: 0, last_at: null },
};

test('says how receiving goes', () => {
  expect(describeReceiving(status)).toBe('Receiving 1,234 items per second; no metrics yet.');
  expect(describeReceiving({ ...status, accepted_per_second: 0, signals: [signal('logs', AT)] })).toBe(
    'Nothing is coming at this moment.',
  );
  expect(describeReceiving({ ...status, signals: [signal('logs', null)] })).toBe('Waiting for first data.');
  expect(describeReceiving({ ...status, signals: [signal('logs', null)], valid_tokens: 0 })).toContain('create a token');
  expect(describeReceiving({ ...status, listeners: [{ transport: 'grpc', address: null }] })).toContain('off');
});

test('names a reason that it does not know by its machine word', () => {
  expect(describeReason('wrong_tenant')).toBe('Names another tenant');
  expect(describeReason('new_reason')).toBe('new reason');
});

test('counts records that were left out, and requests that were refused', () => {
  expect(describeRefused({ reason: 'too_heavy', count: 148_596 })).toBe('148,596 records');
  expect(describeRefused({ reason: 'malformed', count: 1 })).toBe('1 request');
});

test('says what was set aside, what had to go for it, and what to do', () => {
  const bound = { messages: 1000, bytes: 64 * 2 ** 20 };
  const none = { messages: 0, bytes: 0 };
  expect(describeKept({ kept: { messages: 1, bytes: 2048 }, bound, dropped: none })).toMatch(
    /^1 message, .+, of at most 1,000 and 64 MiB\.$/,
  );
  const full = describeKept({ kept: bound, bound, dropped: { messages: 12, bytes: 1 } });
  expect(full).toContain('12 older messages went to make room');
  expect(describeSetAside('not_examined')).toEqual({
    why: 'Not tried: too many others had failed',
    todo: 'Stop what sends the others, then have it retried.',
  });
});

test('a token says who created it, also where that was nobody who signed in', () => {
  expect(describeCreator({ id: 'a', name: 'Ines' })).toBe(' by Ines');
  expect(describeCreator({ id: 'cli', name: null })).toBe(' on the server’s command line');
  expect(describeCreator({ id: 'a', name: null })).toBe('');
});
