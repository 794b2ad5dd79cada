import { getRandomValues } from 'node:crypto';
import { RecentFingerprints } from '#telemetry';
import type { Halves } from './hash.ts';

/** Series remembered as written, twice this at most; 8 bytes each. What was forgotten is written once more. */
const KNOWN_SERIES = 2_000_000;
/** When so many have a secret all get new ones, and their series are written once more. */
const KNOWN_TENANTS = 10_000;
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
  /** A number of 64 bits by tenant, which nobody outside can guess: no series can be made to pass for another tenant's. */
  private readonly secrets = new Map<string, Halves>();
  private secret: Halves = { low: 0, high: 0 };

  /** The series to come are this tenant's. */
  begin(tenant: string): void {
    this.secret = this.secrets.get(tenant) ?? this.makeSecret(tenant);
  }

  private makeSecret(tenant: string): Halves {
    const [low = 0, high = 0] = getRandomValues(new Uint32Array(2));
    const secret = { low, high };
    if (this.secrets.size >= KNOWN_TENANTS) this.secrets.clear();
    this.secrets.set(tenant, secret);
    return secret;
  }

  /** True once for a series, in each month (UTC) that it has points in. */
  isNew(fingerprint: Halves, ts: number): boolean {
    const hour = Math.floor(ts / HOUR_MS);
    if (hour !== this.hour) {
      this.hour = hour;
      this.month = monthOf(ts);
    }
    const low = (fingerprint.low ^ this.secret.low) >>> 0;
    const high = (fingerprint.high ^ this.secret.high ^ this.month) >>> 0;
    if (this.known.has(low, high) || this.fresh.has(low, high)) return false;
    this.fresh.add(low, high);
    this.marks.push(low, high);
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
