import { expect, test } from 'vitest';
import { isByService, lineLooks } from './line-looks.ts';

const line = (service: string, route = '') => ({ labels: { 'service.name': service, ...(route && { route }) } });
const colorOf = (service: string) => `color of ${service}`;

test('lines of several services have the colours of their services, whatever their order', () => {
  const looks = lineLooks([line('web'), line('pay')], colorOf);
  expect(looks.map(({ color }) => color)).toEqual(['color of web', 'color of pay']);
  expect(lineLooks([line('pay'), line('web')], colorOf)).toEqual(looks.toReversed());
});

test('further lines of a service are dashed', () => {
  const looks = lineLooks([line('web', '/a'), line('web', '/b'), line('pay', '/c')], colorOf);
  expect(looks.map(({ color }) => color)).toEqual(['color of web', 'color of web', 'color of pay']);
  expect(looks[0]?.dash).not.toEqual(looks[1]?.dash);
  expect(looks[2]?.dash).toEqual([]);
});

test('lines of one service, or of none, differ by their place', () => {
  const routes = Array.from({ length: 14 }, (_, i) => line('web', `/${i}`));
  const looks = lineLooks(routes, colorOf);
  expect(new Set(looks.map(({ color, dash }) => `${color} ${dash}`)).size).toBe(14);
  expect(isByService(routes)).toBe(false);
  expect(isByService([line('web'), { labels: {} }])).toBe(false);
  expect(lineLooks([line('web')], colorOf)[0]?.color).toBe('color of web');
});
