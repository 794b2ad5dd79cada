const DAY_MS = 86_400_000;
/** A certificate that no run showed for so long says nothing of the target any more, though runs go on. */
export const SEEN_WITHIN_MS = 2 * DAY_MS;

interface CertifiedHead {
  lastAtMs: number;
  certificateEndsMs: number | undefined;
  /** When the newest run began that showed it. */
  certificateSeenMs: number | undefined;
}

/**
 * What runs of a test still show, the one seen last first. A test keeps the certificate that it saw last: of a host that it asks no more, or
 * from a runner that is gone, it is nobody's. One that is paused shows what its last runs showed.
 */
export function shownCertificates<Head extends CertifiedHead>(heads: readonly Head[]): (Head & { certificateEndsMs: number })[] {
  return heads
    .filter(
      (head): head is Head & { certificateEndsMs: number; certificateSeenMs: number } =>
        head.certificateEndsMs !== undefined &&
        head.certificateSeenMs !== undefined &&
        head.lastAtMs - head.certificateSeenMs < SEEN_WITHIN_MS,
    )
    .toSorted((a, b) => b.certificateSeenMs - a.certificateSeenMs);
}
