import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createSeriesWarnings } from './warnings.ts';

const [acme, other] = [parseTenantId('acme'), parseTenantId('other')];

function open() {
  let now = 1000;
  const warnings = createSeriesWarnings(100, () => now);
  return {
    ...warnings,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

test('senders of metrics are told that points of their tenant were left out, once in ten seconds, and nobody else is', () => {
  const { note, warningOf, wait } = open();
  expect(warningOf('metrics', acme)).toBe('');
  note([{ tenant: 'acme', leftOut: 5 }]);
  expect(warningOf('traces', acme)).toBe('');
  expect(warningOf('metrics', other)).toBe('');
  expect(warningOf('metrics', acme)).toMatch(/bound of 100 new series per day/);
  expect(warningOf('metrics', acme)).toBe('');
  note([{ tenant: 'acme', leftOut: 5 }]);
  expect(warningOf('metrics', acme)).toBe('');
  wait(10_000);
  expect(warningOf('metrics', acme)).not.toBe('');
});

test('points that were kept in an overflow series are no reason, and what is a minute old is over', () => {
  const { note, warningOf, wait } = open();
  note([{ tenant: 'acme', leftOut: 0 }]);
  expect(warningOf('metrics', acme)).toBe('');
  note([{ tenant: 'acme', leftOut: 1 }]);
  wait(60_001);
  expect(warningOf('metrics', acme)).toBe('');
});
