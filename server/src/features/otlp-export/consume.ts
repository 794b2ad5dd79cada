import { CanonicalResult } from '@svc/contracts/canonical-result';
import type { BatchHandler } from '#bus';
import type { Clock, TenantId } from '#kernel';
import { type ExportPoint, pointsOf } from './domain/result-points.ts';

/** Most stores of metrics refuse what is older, and a new group would begin with a week of them. */
const WORTH_MS = 60 * 60_000;

export interface ConsumeDeps {
  exporter: {
    add(tenant: TenantId, points: readonly ExportPoint[]): void;
    leaveOut(tenant: TenantId, points: number): void;
  };
  clock: Clock;
}

function readPoints(value: Buffer, tenant: TenantId): ExportPoint[] {
  try {
    const result = CanonicalResult.safeParse(JSON.parse(value.toString('utf8'))).data;
    return result?.tenant_id === tenant ? pointsOf(result) : [];
  } catch {
    return [];
  }
}

/** Results on the bus -> points in the queue. What is no result is counted where results are stored, and left out here. */
export const createExportHandler =
  ({ exporter, clock }: ConsumeDeps): BatchHandler =>
  async ({ messages }) => {
    for (const { tenant, value } of messages) {
      const points = readPoints(value, tenant);
      const isWorth = (points[0]?.atMs ?? 0) >= clock.now() - WORTH_MS;
      if (points.length === 0) continue;
      if (isWorth) exporter.add(tenant, points);
      else exporter.leaveOut(tenant, points.length);
    }
  };
