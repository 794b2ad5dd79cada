import { expect, test } from 'vitest';
import { type AnalysedSpan, analyseTrace } from './analyse-trace.ts';

const MS = 1_000_000;
const span = (ids: `${string}<${string}`, [from, to]: [number, number], more: Partial<AnalysedSpan> = {}): AnalysedSpan => ({
  id: ids.split('<')[0] ?? '',
  parent: ids.split('<')[1] ?? '',
  start: from * MS,
  duration: (to - from) * MS,
  service: 'web',
  kind: 'internal',
  error: false,
  ...more,
});

test('the critical path is divided among services and the wire between them', () => {
  const facts = analyseTrace([
    span('a<', [0, 100]),
    span('b<a', [10, 90], { kind: 'client' }),
    span('c<b', [30, 80], { service: 'orders', kind: 'server', error: true }),
  ]);
  expect(facts.wire).toBe(30 * MS);
  expect(Object.fromEntries(facts.services)).toEqual({
    web: { spans: 2, errors: 0, own: 50 * MS, critical: 20 * MS },
    orders: { spans: 1, errors: 1, own: 50 * MS, critical: 50 * MS },
  });
  expect(facts.skews).toEqual([]);
});

test('a call whose other side is not instrumented counts as its own service', () => {
  const facts = analyseTrace([span('a<', [0, 100]), span('b<a', [10, 90], { kind: 'client' })]);
  expect(facts.wire).toBe(0);
  expect(facts.services.get('web')?.critical).toBe(100 * MS);
});

test('a child of another service outside its caller tells of clocks that differ; late work that nobody waits for does not', () => {
  const facts = analyseTrace([
    span('a<', [0, 100], { kind: 'client' }),
    span('early<a', [-40, 50], { service: 'orders', kind: 'server' }),
    span('late<a', [50, 120], { service: 'stock', kind: 'server' }),
    span('queue<a', [110, 900], { service: 'mail', kind: 'consumer' }),
    span('same<a', [-5, 20]),
  ]);
  expect(facts.skews).toEqual([
    { parent: 'web', child: 'orders', skew: 40 * MS, spans: 1 },
    { parent: 'web', child: 'stock', skew: 20 * MS, spans: 1 },
  ]);
});
