import { encodeTestBlock } from '@svc/testkit/native-block';
import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createMemoryTelemetry } from '#telemetry';
import type { Matcher } from '../api.ts';
import { labelFilter } from './match-labels.ts';

const ACME = parseTenantId('acme');

/** Which of these values of the label `a` answer. */
async function answering(values: readonly string[], matchers: Matcher[]): Promise<string[]> {
  const { memory } = createMemoryTelemetry();
  await memory?.writeEncoded(
    encodeTestBlock('metric_series', [
      { name: 'tenant_id', type: 'LowCardinality(String)', values: values.map(() => 'acme') },
      {
        name: 'labels',
        type: 'Map(LowCardinality(String), String)',
        values: values.map((value) => (value ? [['a', value]] : [])),
      },
    ]),
  );
  const keep = labelFilter(matchers);
  const found: string[] = [];
  await memory?.scan(ACME, { table: 'metric_series' }, ({ rows, columns }) => {
    const labels = columns.maps('labels');
    for (const row of keep(labels, rows)) found.push(labels.find(row, 'a') ?? '');
  });
  return found;
}
const of = (op: Matcher['op'], ...values: string[]): Matcher => ({ label: 'a', op, values });

test('a pattern is of the whole value, over lines, and a label that is not there is empty', async () => {
  const values = ['x', 'xy', 'x\ny', '', '__proto__'];
  expect(await answering(values, [of('=~', 'x.*')])).toEqual(['x', 'xy', 'x\ny']);
  expect(await answering(values, [of('!~', 'x.*')])).toEqual(['', '__proto__']);
  expect(await answering(values, [of('=', '')])).toEqual(['']);
  expect(await answering(values, [of('!=', ''), of('in', 'xy', '__proto__')])).toEqual(['xy', '__proto__']);
});

test('a pattern that would take for ever ends in time', async () => {
  const began = performance.now();
  const asked = answering([`${'a'.repeat(40)}!`, 'b'], [of('=~', '(a+)+')]);
  await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
  expect(performance.now() - began).toBeLessThan(3000);
});
