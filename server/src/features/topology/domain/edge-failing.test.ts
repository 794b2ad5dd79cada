import { expect, test } from 'vitest';
import { type EdgeRatios, isFailing, toSignal } from './edge-failing.ts';

const edge = (given: Partial<EdgeRatios> = {}): EdgeRatios => ({
  ...{ source: 'web', target: 'checkout', kind: 'call', calls: 100, errors: 10, lately: 300, usual: 0.01, ...given },
});

test.each<[string, Partial<EdgeRatios>, boolean, boolean]>([
  ['more than 5 % and than usual', {}, false, true],
  ['5 % and no more', { errors: 5 }, false, false],
  ['more than 5 %, as often before', { usual: 0.1 }, false, false],
  ['more than usual, below 5 %', { errors: 4, usual: 0 }, false, false],
  ['two errors of few calls', { calls: 20, errors: 2, usual: 0 }, false, false],
  ['too few calls to say', { calls: 19, errors: 19 }, false, false],
  ['one that failed and is called too seldom now', { calls: 3, errors: 0, lately: 30 }, true, true],
  ['one that failed and is not called any more', { calls: 0, errors: 0, lately: 0 }, true, false],
  ['one that failed and is well again', { errors: 0 }, true, false],
])('%s', (_words, ...[given, didFail, expected]) => {
  expect(isFailing(edge(given), didFail)).toBe(expected);
});

test('tells how much fails, how grave it is and what the service is asked for as', () => {
  const told = { names: ['shop.example', '203.0.113.9'], key: 'k', end: 100 };
  expect(toSignal(edge(), told)).toMatchObject({
    ...{ severity: 'warning', title: '10 % of calls from web to checkout fail', target: 'checkout', dedup_key: 'k' },
    summary: '10 of 100 calls failed in five minutes. At most 1 % did in any five minutes of the 24 hours before.',
    attributes: { 'service.name': 'checkout', 'server.address': 'shop.example,203.0.113.9', 'edge.source': 'web' },
    occurred_at: '1970-01-01T01:35:00.000Z',
  });
  expect(toSignal(edge({ errors: 60 }), told).severity).toBe('critical');
  expect(toSignal(edge({ calls: 0, errors: 0 }), told).title).toBe('Calls from web to checkout failed');
  const database = toSignal(edge({ kind: 'database', target: 'db:5432' }), { ...told, names: [] });
  expect(database.attributes).toEqual({ 'edge.source': 'web', 'edge.target': 'db:5432', 'edge.kind': 'database' });
});
