import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createMemorySeries, createMemoryTelemetry } from './memory.ts';
import { describeSeriesStore } from './series.contract.ts';

describeSeriesStore('memory', async () => createMemoryTelemetry());

test('forgets the oldest points instead of growing without bound', async () => {
  const series = createMemorySeries(100);
  const tenant = parseTenantId('acme');
  for (let i = 0; i < 1000; i++) await series.write([{ tenant, metric: 'm', labels: { agent: 'a' }, ts: i, value: i }]);
  const [points] = await series.range(tenant, { metrics: ['m'], labels: {}, fromMs: 0, toMs: 1000, stepMs: 0 });
  expect(points?.ts.length).toBeLessThanOrEqual(100);
  expect(points?.ts.at(-1)).toBe(999);
});

test('says that what it holds is lost at the end', async () => {
  expect(await createMemoryTelemetry().health()).toMatchObject({
    status: 'degraded',
    detail: expect.stringContaining('SVC_CLICKHOUSE_URL'),
  });
});
