import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from '../../ui/address/search-params.ts';
import {
  choiceOf,
  decodeMetricsSearch,
  functionsOf,
  type MetricsSearch,
  matchersOf,
  stepOf,
  toggled,
  windowOf,
} from './metrics-search.ts';

const SEARCH: MetricsSearch = {
  metric: 'http_server_request_duration_seconds',
  match: ['http.route=/a?b=c&d', 'service.name!=cart', 'k8s.pod.name=~web-.*'],
  fn: 'quantile',
  q: 0.99,
  agg: 'sum',
  by: ['http.route', 'service.name'],
  from: '2026-11-21T10:00:00.000Z',
  to: '2026-11-21T11:00:00.000Z',
};

test('a link holds everything', () => {
  expect(decodeMetricsSearch(parseSearch(stringifySearch({ ...SEARCH })))).toEqual(SEARCH);
});

test('what a link cannot mean is dropped', () => {
  const raw = {
    match: ['nothing', 'a=b'],
    fn: 'toString',
    q: '2',
    agg: 'median',
    range: '3y',
    from: '2026-11-21T11:00:00Z',
    to: 'x',
  };
  expect(decodeMetricsSearch(raw)).toEqual({ match: ['a=b'] });
});

test('several values of one label mean any of them', () => {
  expect(matchersOf(['a=1', 'b!=2', 'a=3', 'c=~x|y'])).toEqual([
    { label: 'a', op: 'in', values: ['1', '3'] },
    { label: 'b', op: '!=', values: ['2'] },
    { label: 'c', op: '=~', values: ['x|y'] },
  ]);
});

test('asks first what one would ask of the kind', () => {
  expect(choiceOf({}, { kind: 'histogram', series: 3 })).toEqual({ fn: 'quantile', agg: 'none', q: 0.95 });
  expect(choiceOf({ by: ['a'] }, { kind: 'sum', series: 3 })).toMatchObject({ fn: 'rate', agg: 'sum' });
  expect(choiceOf({}, { kind: 'gauge', series: 300 })).toMatchObject({ fn: 'avg', agg: 'avg' });
  expect(choiceOf({}, { kind: 'summary', series: 300 })).toMatchObject({ fn: 'quantile', agg: 'max' });
  // A function of another metric's kind does not stay.
  expect(choiceOf({ fn: 'quantile' }, { kind: 'sum', series: 1 })).toMatchObject({ fn: 'rate' });
  expect(functionsOf('updown')).not.toContain('rate');
});

test('windows and steps', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(windowOf(SEARCH, now)).toEqual({ from: SEARCH.from, to: SEARCH.to });
  const month = windowOf({ range: '30d' }, now);
  expect(month.from).toBe('2026-10-22T12:00:00.000Z');
  expect(stepOf(month)).toBe(3 * 3600);
  expect(stepOf(windowOf({}, now))).toBeUndefined();
  expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  expect(toggled(['a'], 'a')).toBeUndefined();
});
