import type { MemoryTables, TenantReaders } from '#telemetry';
import type { MetricReader } from '../reader.ts';
import { exemplarRows } from './exemplars.ts';
import { listLabels, listMetrics, listSeries, listValues } from './names.ts';
import { numberRows, quantileRows } from './ranges.ts';

/** Metrics out of the memory of this process: no hours are rolled up, ranges reach as far back as points do. */
export const createMemoryReader = ({ memory, readers }: { memory: MemoryTables; readers: TenantReaders }): MetricReader => ({
  metrics: (tenant, question) => readers.use(tenant, () => listMetrics(memory, { tenant, ...question })),
  labels: (tenant, question) => readers.use(tenant, () => listLabels(memory, { tenant, ...question })),
  values: (tenant, question) => readers.use(tenant, () => listValues(memory, { tenant, ...question })),
  series: (tenant, question) => readers.use(tenant, () => listSeries(memory, { tenant, ...question })),
  numbers: async (tenant, _frame, planned) => {
    const plan = await planned;
    return await readers.use(tenant, () => numberRows(memory, tenant, plan));
  },
  quantiles: (tenant, plan) => readers.use(tenant, () => quantileRows(memory, tenant, plan)),
  exemplars: (tenant, question) => readers.use(tenant, () => exemplarRows(memory, tenant, question)),
});
