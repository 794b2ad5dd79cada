import { getRandomValues } from 'node:crypto';
import { FingerprintSet } from '@svc/bytes';
import type { Halves } from './hash.ts';
import { type DayOfSeries, TenantSeries, takeMetric } from './tenant-series.ts';

/** How many series of metrics one tenant may have. */
export interface SeriesBounds {
  /** New in one day (UTC). Twice as many may be active: have had points today or yesterday. */
  readonly perDay: number;
  /** When a tenant has brought so many, what the store has of it is read before more are judged; 0 where nothing can be read. */
  readonly readAfter: number;
}

/** A tenant's series as the store has them, read once in the life of a builder. */
export interface SeriesInStore {
  tenant: string;
  /** Fingerprints, their low and high 32 bits in turns, by month (yyyymm). */
  months: ReadonlyMap<number, Uint32Array>;
  /** New series by day since 1970, as far as they were counted before. */
  days: ReadonlyMap<number, number>;
  /** It could not be read now: until it is, no new series are admitted. */
  isUnreadable?: boolean;
}

export const KNOWN = 0;
/** To be written, since the store may not have it. */
export const NEW = 1;
/** A bound is reached: the series is not written. */
export const BEYOND = 2;

/** Entries over all tenants; 8 bytes each, in tables that are half empty. What was forgotten is written once more. */
const MAX_REMEMBERED = 4_000_000;
/** Beyond it the tenant that came first is forgotten. */
const MAX_TENANTS = 10_000;
/** Batches whose blocks may be on their way into the store. */
const MAX_PENDING = 3;
/** From one that failed to the next time that a tenant's series are asked for. */
const READ_AGAIN_MS = 10_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const scatter = (word: number): number => {
  const mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
};

const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};

/** yyyymm -> months since the year 0 and back. */
const nextMonth = (month: number, by: number): number => {
  const months = Math.floor(month / 100) * 12 + (month % 100) - 1 + by;
  return Math.floor(months / 12) * 100 + (months % 12) + 1;
};

/**
 * Which series of which tenant and month are in the store, as far as this process has written or read them, or are on their way there; and
 * which may be written: what one tenant brings takes room of its own alone. Counts may be too high by series whose blocks were not stored.
 */
export class KnownSeries {
  /** Of the point last asked for: yyyymm. */
  month = 0;
  /** Tenants whose series are to be read from the store before their batch is built. */
  readonly unread = new Set<string>();
  private readonly bounds: SeriesBounds;
  private readonly tenants = new Map<string, TenantSeries>();
  private hour = -1;
  private fresh = new FingerprintSet();
  /** Of batches that may not be stored yet, the newest first. */
  private pending: FingerprintSet[] = [];
  /** Of the open batch: low and high halves in turns. */
  private marks = new Map<TenantSeries, number[]>();
  /** New series of the open batch, by day. */
  private counted = new Map<DayOfSeries, number>();
  private tenant = '';
  private series = new TenantSeries({ low: 0, high: 0 }, 0);
  private halves: number[] = [];
  private low = 0;
  private high = 0;

  constructor(bounds: SeriesBounds) {
    this.bounds = bounds;
  }

  /** Of the tenant whose series are asked for. */
  get ofTenant(): TenantSeries {
    return this.series;
  }

  get day(): DayOfSeries {
    return this.series.current;
  }

  /** The series to come are this tenant's, received at this time (Unix ms). */
  begin(tenant: string, at: number): void {
    const day = Math.floor(at / DAY_MS);
    if (tenant !== this.tenant || !this.tenants.has(tenant)) {
      this.tenant = tenant;
      this.series = this.tenants.get(tenant) ?? this.make(tenant, day);
    }
    this.series.turnTo(day);
    this.halves = this.marks.get(this.series) ?? [];
  }

  private make(tenant: string, day: number): TenantSeries {
    const [low = 0, high = 0] = getRandomValues(new Uint32Array(2));
    const series = new TenantSeries({ low, high }, day);
    if (this.tenants.size >= MAX_TENANTS) this.tenants.delete(this.tenants.keys().next().value ?? '');
    series.isRead = this.bounds.readAfter === 0;
    this.tenants.set(tenant, series);
    return series;
  }

  /** One to one for each tenant, and not to be guessed: fingerprints that a sender chooses do not lie side by side either. */
  private mix({ low, high }: Halves, month: number): void {
    const { secret } = this.series;
    this.high = (high ^ secret.high ^ month) >>> 0;
    this.low = scatter(low ^ secret.low ^ Math.imul(this.high, 0x9e3779b1)) >>> 0;
  }

  /** NEW once for a series in each month (UTC) that it has points in. `metric` is a hash of its metric's name. */
  admit(fingerprint: Halves, ts: number, metric: Halves): number {
    if (this.has(fingerprint, ts)) return KNOWN;
    const { low, high } = this;
    if (!this.isElsewhere(fingerprint)) {
      if (!this.hasRoom() || !takeMetric(this.day, metric)) return BEYOND;
      this.day.admitted++;
      this.counted.set(this.day, (this.counted.get(this.day) ?? 0) + 1);
    }
    this.mark(low, high);
    return NEW;
  }

  /** As `admit`, of a series that is written whatever the bounds are. */
  admitAlways(fingerprint: Halves, ts: number): boolean {
    if (this.has(fingerprint, ts)) return false;
    this.mark(this.low, this.high);
    return true;
  }

  private has(fingerprint: Halves, ts: number): boolean {
    const hour = Math.floor(ts / HOUR_MS);
    if (hour !== this.hour) {
      this.hour = hour;
      this.month = monthOf(ts);
    }
    this.mix(fingerprint, this.month);
    return this.series.has(this.low, this.high) || this.fresh.has(this.low, this.high);
  }

  private mark(low: number, high: number): void {
    this.fresh.add(low, high);
    this.halves.push(low, high);
    if (this.halves.length === 2) this.marks.set(this.series, this.halves);
  }

  /** Admitted before: by a batch that may not be stored, or for the month before or after. */
  private isElsewhere(fingerprint: Halves): boolean {
    const { low, high } = this;
    if (this.pending.some((batch) => batch.has(low, high))) return true;
    for (const by of [-1, 1]) {
      this.mix(fingerprint, nextMonth(this.month, by));
      if (this.series.has(this.low, this.high) || this.fresh.has(this.low, this.high)) return true;
    }
    return false;
  }

  private hasRoom(): boolean {
    const { perDay, readAfter } = this.bounds;
    const { series } = this;
    if (!series.isRead && series.current.admitted >= readAfter) {
      if (performance.now() < series.readAgainMs) return false;
      this.unread.add(this.tenant);
    }
    return series.current.admitted < perDay && series.size + this.halves.length / 2 < 2 * perDay;
  }

  /** What the store has; the batch that asked for it is built again. */
  learn({ tenant, months, days, isUnreadable }: SeriesInStore): void {
    this.unread.delete(tenant);
    const series = this.tenants.get(tenant);
    // Forgotten meanwhile, or read for another batch: once more would count twice.
    if (series === undefined || series.isRead) return;
    if (isUnreadable) {
      series.readAgainMs = performance.now() + READ_AGAIN_MS;
      return;
    }
    this.tenant = '';
    this.series = series;
    let known = 0;
    for (const [month, halves] of months)
      for (let i = 0; i < halves.length; i += 2) {
        this.mix({ low: halves[i] as number, high: halves[i + 1] as number }, month);
        if (series.has(this.low, this.high) || this.pending.some((batch) => batch.has(this.low, this.high))) known++;
        series.add(this.low, this.high);
      }
    const { current } = series;
    // What this run has written may be of today or older: it counts as older, in favour of the tenant.
    current.admitted = Math.max(0, current.admitted - known) + (days.get(current.day) ?? 0);
    series.isRead = true;
    this.trim();
  }

  /** The batch is complete; what is given is to be called once it is stored. */
  finish(): () => void {
    if (this.unread.size > 0) this.undo();
    const { marks, fresh } = this;
    if (fresh.size > 0) this.pending = [fresh, ...this.pending].slice(0, MAX_PENDING);
    this.clear();
    return () => {
      for (const [series, halves] of marks)
        for (let i = 0; i < halves.length; i += 2) series.add(halves[i] as number, halves[i + 1] as number);
      this.pending = this.pending.filter((batch) => batch !== fresh);
      if (marks.size > 0) this.trim();
    };
  }

  /** What was asked for is judged again from the start. */
  private undo(): void {
    for (const [day, admitted] of this.counted) day.admitted -= admitted;
    this.fresh = new FingerprintSet();
  }

  /** Forgets the open batch and takes back what it counted: nothing of it was built. */
  reset(): void {
    this.undo();
    this.clear();
  }

  private clear(): void {
    this.fresh = new FingerprintSet();
    this.marks = new Map();
    this.counted = new Map();
    this.halves = [];
  }

  /** The tenant that has most forgets first. */
  private trim(): void {
    const all = [...this.tenants.values()];
    let entries = all.reduce((sum, series) => sum + series.entries, 0);
    while (entries > Math.max(MAX_REMEMBERED, 4 * this.bounds.perDay)) {
      const largest = all.reduce((most, series) => (series.entries > most.entries ? series : most));
      entries -= largest.entries;
      largest.forget();
      entries += largest.entries;
    }
  }
}
