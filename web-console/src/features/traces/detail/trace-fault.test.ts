import { expect, test } from 'vitest';
import type { TraceSpan } from '../../../api-types.ts';
import { codeWords, describeFault, exceptionOf, findFault } from './trace-fault.ts';

const span = (id: string, depth: number, more: Partial<TraceSpan> = {}): TraceSpan => ({
  id,
  depth,
  parent: '',
  parent_missing: false,
  service: 'web',
  name: 'POST /buy',
  kind: 'server',
  status: 'unset',
  status_message: '',
  code: '',
  start_ns: depth,
  duration_ns: 1,
  own_ns: 1,
  critical: [],
  crosses: false,
  skew_ns: 0,
  events: 0,
  links: 0,
  ...more,
});
const root = { service: 'web', name: 'POST /buy', seen: true, duration_ns: 1.84e9 };
const plain = (text: string): string => text.replaceAll(/[\u202f\u00a0]/g, ' ');
const charge = { service: 'payment', name: 'POST /charge', status: 'error' } as const;

test('the fault is the deepest failed span, the earliest of equals; none where nothing failed', () => {
  const failed = [
    span('a', 0, { status: 'error' }),
    span('b', 1, { status: 'error' }),
    span('c', 3, { status: 'error', start_ns: 9 }),
    span('d', 4),
    span('e', 3, { status: 'error', start_ns: 5 }),
  ];
  expect(findFault(failed)?.id).toBe('e');
  expect(findFault([span('a', 0), span('b', 1)])).toBeUndefined();
});

test('what failed under a span that did not fail was survived: the failure with a word above it is the fault', () => {
  const spans = [
    span('a', 0, { status: 'error', status_message: 'card expired' }),
    span('b', 1, { parent: 'a' }),
    span('c', 2, { parent: 'b', service: 'cache', status: 'error', status_message: 'connection refused' }),
  ];
  expect(findFault(spans)?.id).toBe('a');
  const through = spans.map((one) => (one.id === 'b' ? { ...one, status: 'error' as const } : one));
  expect(findFault(through)?.id).toBe('c');
  const wordless = spans.map((one) => (one.id === 'a' ? { ...one, status_message: '' } : one));
  expect(findFault(wordless)?.id).toBe('c');
});

test.each([
  {
    what: 'its status message',
    more: { status_message: 'connection refused\nat line 3' },
    exception: '',
    said: 'connection refused.',
  },
  { what: 'the exception', more: {}, exception: 'Timeout: no answer in 2 s.', said: 'Timeout: no answer in 2 s.' },
  { what: 'an HTTP status', more: { code: '503' }, exception: '', said: 'HTTP 503.' },
  { what: 'another code', more: { code: 'UNAVAILABLE' }, exception: '', said: 'UNAVAILABLE.' },
  { what: 'nothing', more: {}, exception: '', said: 'failed without a message.' },
])('the headline states $what', ({ more, exception, said }) => {
  const fault = span('b', 2, { ...charge, ...more });
  const trace = { root, spans: [span('a', 0, { status: 'error' }), fault] };
  expect(plain(describeFault(trace, fault, exception))).toBe(`POST /buy failed after 1.84 s. payment, POST /charge: ${said}`);
});

test('a request that survived the error took its time, and did not fail', () => {
  const fault = span('b', 2, { ...charge, status_message: 'x'.repeat(500) });
  const text = plain(describeFault({ root, spans: [span('a', 0), fault] }, fault, ''));
  expect(text).toContain('POST /buy took 1.84 s. payment, POST /charge: xxx');
  expect(text.length).toBeLessThan(220);
});

test('an exception is its type and message', () => {
  const attribute = (key: string, value: string) => ({ key, value, type: 's' });
  const event = (name: string, attributes: ReturnType<typeof attribute>[]) => ({
    unix_nano: '0',
    at: '',
    name,
    attributes,
    dropped: 0,
  });
  expect(
    exceptionOf([
      event('retry', []),
      event('exception', [attribute('exception.type', 'Timeout'), attribute('exception.message', 'slow')]),
    ]),
  ).toBe('Timeout: slow');
  expect(exceptionOf([event('retry', [])])).toBe('');
});

test('a gRPC status is told by its number and its name', () => {
  const fault = span('b', 1, { service: 'web', name: 'shop.Catalogue/GetProduct', status: 'error', code: '5' });
  expect(plain(describeFault({ root, spans: [fault] }, fault, ''))).toContain('shop.Catalogue/GetProduct: gRPC 5 (NOT_FOUND).');
  expect(['404', '5', '99', 'timeout', ''].map(codeWords)).toEqual(['HTTP 404', 'gRPC 5 (NOT_FOUND)', 'gRPC 99', 'timeout', '']);
});
