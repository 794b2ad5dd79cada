import { FingerprintSet } from '@svc/bytes';
import type { Halves } from './hash.ts';

/** Names that one day's new series of a tenant may bring; what has another is treated as beyond the bound. */
const MAX_METRICS_A_DAY = 10_000;
const MAX_LABELS_A_DAY = 2000;
/** Characters that tell one name from another. */
const MAX_NAME = 200;
/** Metrics of a tenant that have a series for what is beyond the bound, in a day. */
const MAX_OVERFLOW_METRICS = 1000;

/** What one tenant has brought in one day (UTC). */
export interface DayOfSeries {
  readonly day: number;
  /** Series that were new. */
  admitted: number;
  readonly metrics: FingerprintSet;
  /** Names of labels, cut. */
  readonly labels: Set<string>;
  readonly overflowMetrics: FingerprintSet;
}

const newDay = (day: number): DayOfSeries => ({
  day,
  admitted: 0,
  metrics: new FingerprintSet(),
  labels: new Set(),
  overflowMetrics: new FingerprintSet(),
});

function takeName(names: FingerprintSet, { low, high }: Halves, most: number): boolean {
  if (names.has(low, high)) return true;
  if (names.size >= most) return false;
  names.add(low, high);
  return true;
}

/** True where this metric may have new series today. */
export const takeMetric = ({ metrics }: DayOfSeries, metric: Halves): boolean => takeName(metrics, metric, MAX_METRICS_A_DAY);

/** True where this metric may have an overflow series today. */
export const takeOverflow = ({ overflowMetrics }: DayOfSeries, metric: Halves): boolean =>
  takeName(overflowMetrics, metric, MAX_OVERFLOW_METRICS);

/** True where a new series may have a label of this name today. */
export function takeLabel({ labels }: DayOfSeries, label: string): boolean {
  const name = label.slice(0, MAX_NAME);
  if (labels.has(name)) return true;
  if (labels.size >= MAX_LABELS_A_DAY) return false;
  labels.add(name);
  return true;
}

/** The series of one tenant that are in the store, in two generations: those seen since the day began, and those of the day before. */
export class TenantSeries {
  /** A number of 64 bits that nobody outside can guess: series cannot be chosen to fall on the same places of the sets. */
  readonly secret: Halves;
  /** What the store has of earlier runs was read. */
  isRead = false;
  /** When it is read again after it could not be; no new series are admitted before (performance.now). */
  readAgainMs = 0;
  current: DayOfSeries;
  /** The newest day, and the one that was asked for beside it last. */
  private newest: DayOfSeries;
  private other: DayOfSeries;
  private young = new FingerprintSet();
  private old = new FingerprintSet();
  /** Of `old`, those that are in `young` again. */
  private returned = 0;

  constructor(secret: Halves, day: number) {
    this.secret = secret;
    this.newest = newDay(day);
    this.other = newDay(day - 1);
    this.current = this.newest;
  }

  /** Series that are remembered, each once. */
  get size(): number {
    return this.young.size + this.old.size - this.returned;
  }

  /** Entries of both generations. */
  get entries(): number {
    return this.young.size + this.old.size;
  }

  /** What comes now is of this day. A clock that goes back over midnight finds the day before as it left it. */
  turnTo(day: number): void {
    if (day === this.current.day) return;
    if (day > this.newest.day) {
      this.other = this.newest;
      this.newest = newDay(day);
      this.forget();
    } else if (day < this.newest.day && day !== this.other.day) this.other = newDay(day);
    this.current = day === this.newest.day ? this.newest : this.other;
  }

  has(low: number, high: number): boolean {
    if (this.young.has(low, high)) return true;
    if (!this.old.has(low, high)) return false;
    this.young.add(low, high);
    this.returned++;
    return true;
  }

  add(low: number, high: number): void {
    if (this.young.add(low, high) && this.old.has(low, high)) this.returned++;
  }

  /** Lets the older generation go. */
  forget(): void {
    this.old = this.young;
    this.young = new FingerprintSet();
    this.returned = 0;
  }
}
