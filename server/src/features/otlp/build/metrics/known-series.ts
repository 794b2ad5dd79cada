import { RecentFingerprints } from '#telemetry';
import { Fingerprint, type Halves } from './hash.ts';

/** Series remembered as written, twice this at most; 8 bytes each. What was forgotten is written once more. */
const KNOWN_SERIES = 2_000_000;
const HOUR_MS = 3_600_000;

const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};

/** Which series of which tenant and month are in the store, as far as this process has written them, or are on their way there. */
export class KnownSeries {
  /** Of the point last asked for: yyyymm. */
  month = 0;
  private hour = -1;
  private readonly known = new RecentFingerprints(KNOWN_SERIES);
  private fresh = new RecentFingerprints(Number.MAX_SAFE_INTEGER);
  private marks: number[] = [];
  private readonly tenant = new Fingerprint();
  private readonly seen = new Fingerprint();

  /** The series to come are this tenant's. */
  begin(tenant: string): void {
    const bytes = Buffer.from(tenant);
    this.tenant.begin();
    this.tenant.bytes(bytes, 0, bytes.length);
    this.tenant.end();
  }

  /** True once for a series, in each month (UTC) that it has points in. */
  isNew(fingerprint: Halves, ts: number): boolean {
    const hour = Math.floor(ts / HOUR_MS);
    if (hour !== this.hour) {
      this.hour = hour;
      this.month = monthOf(ts);
    }
    const { seen } = this;
    seen.begin();
    seen.halves(fingerprint);
    seen.halves(this.tenant);
    seen.word(this.month);
    seen.end();
    if (this.known.has(seen.low, seen.high) || this.fresh.has(seen.low, seen.high)) return false;
    this.fresh.add(seen.low, seen.high);
    this.marks.push(seen.low, seen.high);
    return true;
  }

  /** The batch is complete; what is given is to be called once it is stored. */
  finish(): () => void {
    const { marks, known } = this;
    this.reset();
    return () => {
      for (let i = 0; i < marks.length; i += 2) known.add(marks[i] as number, marks[i + 1] as number);
    };
  }

  /** Forgets what is not stored. */
  reset(): void {
    this.fresh = new RecentFingerprints(Number.MAX_SAFE_INTEGER);
    this.marks = [];
  }
}
