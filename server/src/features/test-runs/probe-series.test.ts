import { TestSpec } from '@svc/contracts/tests/test';
import { expect, it } from 'vitest';
import { parseTenantId } from '#kernel';
import type { RunRow } from './domain/read-run.ts';
import { createProbeSeries } from './probe-series.ts';

const at = '2026-11-26T12:00:00.000Z';
const tenant = parseTenantId('acme');
const made = (id: string) => ({
  ...TestSpec.parse({ name: `test ${id}`, type: 'tcp', target: 'mail.example:25' }),
  ...{ id, version: 1, created_by: 'ann', created_at: at, updated_at: at },
});
const run = (testId: string, startedAtMs: number): RunRow => ({
  ...{ testId, runnerId: 'built-in', startedAtMs, resultId: `${startedAtMs}`, version: 1, success: true, notRun: false },
  ...{ onDemand: false, fault: undefined, error: undefined, totalMs: 5, phases: {}, figures: {}, address: undefined },
  ...{ certificate: undefined, assertions: [] },
});
const of = (id: string, ms: number) => ({ tenant, run: run(id, ms), test: made(id) });
const NOV = Date.parse('2026-11-30T23:59:00Z');
const DEC = Date.parse('2026-12-01T00:01:00Z');

it('writes a series once a month, and anew after its rows were not written', () => {
  const metrics = createProbeSeries({ keepDays: 30 });
  const rows = (...of: Parameters<typeof metrics.build>[0][]) =>
    of.map((runs) => {
      const { series, points } = metrics.build(runs);
      return [series.rows, points.rows];
    });
  expect(rows([of('a', NOV)], [of('a', NOV + 1000)], [of('a', DEC)], [of('a', DEC + 1000)])).toEqual([
    [2, 2],
    [0, 2],
    [2, 2],
    [0, 2],
  ]);
  metrics.forget();
  expect(rows([of('a', DEC + 2000)])).toEqual([[2, 2]]);
});

it('leaves out points of series beyond the bound of a tenant, and keeps those it has', () => {
  const metrics = createProbeSeries({ keepDays: 30, maxSeries: 4 });
  const first = metrics.build([of('a', NOV), of('b', NOV), of('c', NOV)]);
  expect([first.series.rows, first.points.rows, first.leftOut.get(tenant)]).toEqual([4, 4, 2]);
  const again = metrics.build([of('a', NOV + 1000), of('c', NOV + 1000)]);
  expect([again.series.rows, again.points.rows, again.leftOut.get(tenant)]).toEqual([0, 2, 2]);
});
