import type { SeriesReport } from '@svc/otlp-wire/rows';
import type { Signal } from '@svc/otlp-wire/walk';
import type { TenantId } from '#kernel';

/** What was left out so long ago is over. */
const FORGET_MS = 60_000;
/** A tenant has many senders, and each writes down what it is told: one answer in so long says it. */
const EVERY_MS = 10_000;
const MAX_TENANTS = 1000;

/**
 * Tells senders of metrics whose tenant lost points of new series beyond its bound, as far as this process stored them. The points were taken
 * before it was known, so a later answer of the tenant says so: a warning, which rejects nothing.
 */
export interface SeriesWarnings {
  note(reports: readonly Pick<SeriesReport, 'tenant' | 'leftOut'>[]): void;
  /** A sentence for the answer to a request that was taken; '' for nearly all. */
  warningOf(signal: Signal, tenant: TenantId): string;
}

export function createSeriesWarnings(bound: number, nowMs: () => number = () => performance.now()): SeriesWarnings {
  const tenants = new Map<string, { leftOutMs: number; toldMs: number }>();
  const words = `Points of new series were left out: this tenant has reached its bound of ${bound} new series per day. Aggregate labels with many values away, or use delta temporality.`;
  return {
    note(reports) {
      for (const { tenant, leftOut } of reports) {
        if (leftOut === 0) continue;
        const known = tenants.get(tenant);
        tenants.delete(tenant);
        const [oldest] = tenants.keys();
        if (oldest !== undefined && tenants.size >= MAX_TENANTS) tenants.delete(oldest);
        tenants.set(tenant, { leftOutMs: nowMs(), toldMs: known?.toldMs ?? Number.NEGATIVE_INFINITY });
      }
    },
    warningOf(signal, tenant) {
      const known = signal === 'metrics' && tenants.size > 0 ? tenants.get(tenant) : undefined;
      if (!known) return '';
      const now = nowMs();
      if (now - known.leftOutMs > FORGET_MS) tenants.delete(tenant);
      else if (now - known.toldMs >= EVERY_MS) {
        known.toldMs = now;
        return words;
      }
      return '';
    },
  };
}
