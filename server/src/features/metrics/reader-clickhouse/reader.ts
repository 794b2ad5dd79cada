import type { MetricReader } from '../reader.ts';
import type { MetricStore } from './ask.ts';
import { readNames } from './names.ts';
import { numberRows } from './numbers.ts';
import { quantileRows } from './quantiles.ts';

/** Metrics out of chDB or a ClickHouse server. */
export const createClickhouseReader = (deps: MetricStore): MetricReader => ({
  ...readNames(deps),
  numbers: (tenant, frame, planned) => numberRows(deps, tenant, { frame, planned }),
  quantiles: (tenant, plan) => quantileRows(deps, tenant, plan),
});
