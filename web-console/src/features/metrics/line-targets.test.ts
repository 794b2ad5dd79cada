import { expect, test } from 'vitest';
import { targetsOf } from './line-targets.ts';

test('what a chart is of is said by its lines and by the conditions that chose them, each once', () => {
  const lines: { labels: Record<string, string> }[] = [
    { labels: { 'service.name': 'shop', route: '/pay' } },
    { labels: { 'service.name': 'shop', 'host.name': 'web-1' } },
    { labels: { 'service.name': '' } },
  ];
  expect(targetsOf(lines)).toEqual(['shop', 'web-1']);
  const asked = { label: 'service.name', op: '=', values: ['pay', 'shop'] } as const;
  expect(targetsOf(lines, [{ ...asked, values: [...asked.values] }])).toEqual(['shop', 'web-1', 'pay']);
});

test('what is excluded, and what names nothing that is changed, is no target', () => {
  expect(targetsOf([], [{ label: 'service.name', op: '!=', values: ['pay'] }])).toEqual([]);
  expect(targetsOf([{ labels: { route: '/pay' } }])).toEqual([]);
});
