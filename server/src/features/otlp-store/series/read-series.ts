import { setTimeout as sleep } from 'node:timers/promises';
import type { SeriesInStore } from '@svc/otlp-wire/rows';
import type { FastifyBaseLogger } from 'fastify';
import { AppError, type Clock, type TenantId } from '#kernel';
import type { ColumnStore, Wides } from '#telemetry';

const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10_000;
/** A batch of many tenants waits so long; what is read later is there when it is asked for again. */
const DEADLINE_MS = 5000;
/** What is read too late is kept so long. */
const KEPT_MS = 60_000;

/** Series that have had points in the last 24 hours, by month of their points. */
const ACTIVE = `SELECT fp, toUInt32(toYYYYMM(ts, 'UTC')) AS month FROM (
    SELECT fp, ts FROM metric_points WHERE tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64})
    UNION ALL SELECT fp, ts FROM metric_histograms WHERE tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}))
  GROUP BY fp, month LIMIT {most:UInt32}`;

export interface SeriesReaderDeps {
  store: Pick<ColumnStore, 'readColumns'>;
  /** New series of a tenant by day since 1970, as they were counted. */
  countedDays: (tenant: TenantId) => Promise<ReadonlyMap<number, number>>;
  /** Series that are read at most. */
  most: number;
  clock: Clock;
  log: FastifyBaseLogger;
  /** Milliseconds that a reading may take. */
  deadlineMs?: number;
}

const halvesOf = ({ buffer, byteOffset, length }: Wides): Uint32Array => new Uint32Array(buffer, byteOffset, length * 2);

/** Collects fingerprints by month. */
function createMonths() {
  const months = new Map<number, number[]>();
  return {
    add(halves: Uint32Array, monthOf: (row: number) => number): void {
      for (let row = 0; row * 2 < halves.length; row++) {
        const month = monthOf(row);
        const list = months.get(month) ?? [];
        if (list.push(halves[row * 2] as number, halves[row * 2 + 1] as number) === 2) months.set(month, list);
      }
    },
    read: () => new Map([...months].map(([month, list]) => [month, Uint32Array.from(list)])),
  };
}

/**
 * What the store has of a tenant's series, so that they stay what they are when a process starts while the tenant is at its bound. Never
 * rejects: where it cannot be read in time, no new series of the tenant are admitted until it can.
 */
export function createSeriesReader({ store, countedDays, most, clock, log, deadlineMs = DEADLINE_MS }: SeriesReaderDeps) {
  const reading = new Map<TenantId, Promise<SeriesInStore>>();
  async function readMonths(tenant: TenantId): Promise<SeriesInStore['months']> {
    const months = createMonths();
    const params = { fromMs: clock.now() - DAY_MS, most };
    const blocks = await store.readColumns(tenant, ACTIVE, params, { timeoutMs: TIMEOUT_MS, maxRows: most, background: true });
    for (const { columns } of blocks) {
      const [fingerprints, own] = columns as [Wides, Uint32Array];
      months.add(halvesOf(fingerprints), (row) => own[row] as number);
    }
    return months.read();
  }

  async function read(tenant: TenantId): Promise<SeriesInStore> {
    const [months, days] = await Promise.all([readMonths(tenant), countedDays(tenant)]);
    return { tenant, months, days };
  }

  /** One reading of a tenant at a time. */
  function beginReading(tenant: TenantId): Promise<SeriesInStore> {
    const begun = reading.get(tenant);
    if (begun) return begun;
    const mine = read(tenant);
    const forget = (): void => {
      if (reading.get(tenant) === mine) reading.delete(tenant);
    };
    reading.set(tenant, mine);
    mine.then(() => void setTimeout(forget, KEPT_MS).unref(), forget);
    return mine;
  }

  return async (name: string): Promise<SeriesInStore> => {
    const tenant = name as TenantId;
    const late = new AbortController();
    try {
      const series = await Promise.race([
        beginReading(tenant),
        sleep(deadlineMs, undefined, { signal: late.signal }).then(() => {
          throw new AppError('unavailable', 'The series of a tenant were not read in time.');
        }),
      ]);
      reading.delete(tenant);
      return series;
    } catch (err) {
      log.warn({ err, tenant }, 'the series of a tenant could not be read: no new ones are admitted until they are');
      return { tenant, months: new Map(), days: new Map(), isUnreadable: true };
    } finally {
      late.abort();
    }
  };
}
