import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { CANARY_TYPES, type CanonicalResult } from '@svc/contracts/results/canonical-result';
import type { BatchHandler } from '#bus';
import type { Clock, TenantId } from '#kernel';
import { type ExportPoint, pointsOf } from './domain/result-points.ts';

/** Most stores of metrics refuse what is older, and a new group would begin with a week of them. */
const WORTH_MS = 60 * 60_000;

/** Results read in one go before others get the event loop. */
const AT_ONCE = 100;

export interface ConsumeDeps {
  exporter: {
    add(tenant: TenantId, points: readonly ExportPoint[]): void;
    leaveOut(tenant: TenantId, points: number): void;
  };
  clock: Clock;
}

const TYPES: ReadonlySet<unknown> = new Set(CANARY_TYPES);
const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** As much of a result as points are made of: producers have checked all of it once, and this runs for every result. */
function isResultOf(tenant: TenantId, value: unknown): value is CanonicalResult {
  if (!isMap(value)) return false;
  const r = value as Record<keyof CanonicalResult, unknown>;
  return (
    r.tenant_id === tenant &&
    typeof r.agent_id === 'string' &&
    TYPES.has(r.canary_type) &&
    typeof r.started_at === 'string' &&
    isMap(r.metrics) &&
    isMap(r.attributes)
  );
}

function readPoints(value: Buffer, tenant: TenantId): ExportPoint[] {
  try {
    const result: unknown = JSON.parse(value.toString('utf8'));
    return isResultOf(tenant, result) ? pointsOf(result) : [];
  } catch {
    return [];
  }
}

/** Results on the bus -> points in the queue. What is no result is counted where results are stored, and left out here. */
export const createExportHandler =
  ({ exporter, clock }: ConsumeDeps): BatchHandler =>
  async ({ messages }, signal) => {
    for (const [i, { tenant, value }] of messages.entries()) {
      if (i > 0 && i % AT_ONCE === 0) {
        await yieldToOthers();
        signal.throwIfAborted();
      }
      const points = readPoints(value, tenant);
      const isWorth = (points[0]?.atMs ?? 0) >= clock.now() - WORTH_MS;
      if (points.length === 0) continue;
      if (isWorth) exporter.add(tenant, points);
      else exporter.leaveOut(tenant, points.length);
    }
  };
