import { expect, test } from 'vitest';
import { countedSeries, describeQuestion, formatMetric, nameLine, tellingLabels } from './metric-words.ts';

test.each([
  [0.31, { unit: 's', fn: 'quantile', kind: 'histogram' }, '310\u202fms'],
  [0.00025, { unit: 's', fn: 'avg', kind: 'histogram' }, '250\u202fµs'],
  [12.5, { unit: 's', fn: 'rate', kind: 'histogram' }, '12.5/s'],
  [0.25, { unit: 's', fn: 'rate', kind: 'sum' }, '0.25\u202fs/s'],
  [1_400_000, { unit: 'By', fn: 'rate', kind: 'sum' }, '1.4\u202fMB/s'],
  [-3, { unit: '{request}', fn: 'raw', kind: 'updown' }, '\u22123\u202frequest'],
  [1234.567, { unit: '1', fn: 'raw', kind: 'gauge' }, '1,235'],
  [12_345_678, { unit: '', fn: 'increase', kind: 'sum' }, '12.35M'],
] as const)('%d as %o reads %s', (...[value, how, words]) => expect(formatMetric(value, how)).toBe(words));

test('names lines by what tells them apart', () => {
  const lines: { labels: Record<string, string> }[] = [
    { labels: { a: '1', b: 'x', c: '' } },
    { labels: { a: '1', b: 'y', c: '' } },
    { labels: { a: '1', c: '' } },
  ];
  expect(tellingLabels(lines)).toEqual(['b']);
  expect(lines.map((line) => nameLine(line, ['b']))).toEqual(['x', 'y', 'all series']);
  expect(tellingLabels([{ labels: { z: '1', a: '2' } }])).toEqual(['a', 'z']);
});

test('names the series beyond the limit of a day, whatever tells the others apart', () => {
  const labels = { 'otel.metric.overflow': 'true' };
  expect(nameLine({ labels }, tellingLabels([{ labels }]))).toBe('other series (beyond the day’s limit)');
  expect(nameLine({ labels }, ['service.name'])).toBe('other series (beyond the day’s limit)');
});

test('needs no more labels than tell lines apart, the usual names first', () => {
  const of = (...rows: string[][]) =>
    rows.map(([service, pod, id]) => ({ labels: { 'service.name': service ?? '', 'k8s.pod.name': pod ?? '', id: id ?? '' } }));
  expect(tellingLabels(of(['a', 'a-1', '1'], ['b', 'b-1', '2']))).toEqual(['service.name']);
  expect(tellingLabels(of(['a', 'a-1', '1'], ['a', 'a-2', '2'], ['b', 'b-1', '3']))).toEqual(['service.name', 'k8s.pod.name']);
});

test('says what is drawn', () => {
  expect(describeQuestion({ fn: 'quantile', q: 0.999, agg: 'sum', by: ['route'] })).toBe('99.9% quantile, by route');
  expect(describeQuestion({ fn: 'avg', q: 0.5, agg: 'max', by: [] })).toBe('Average, most of all series');
  expect(describeQuestion({ fn: 'rate', q: 0.5, agg: 'sum', by: [] })).toBe('Rate per second, all series together');
});

test('counts series by the month, as they are known', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const of = (from: string) => countedSeries(4, { from, to: '2026-11-21T12:00:00Z' }, now);
  expect(of('2026-11-21T11:00:00Z')).toBe('4 series this month, ended ones included');
  expect(of('2026-10-30T00:00:00Z')).toBe('4 series in the months of this time, ended ones included');
});
