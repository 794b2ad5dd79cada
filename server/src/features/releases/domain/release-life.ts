import type { ReleaseFeed } from '@svc/contracts/releases/release-feed';

const DAY_MS = 86_400_000;
/** How long a feed is believed unless its signer says otherwise. */
const LIFE_MS = 90 * DAY_MS;
const MAX_LIFE_MS = 400 * DAY_MS;
/** How far the clocks of signer and server may be apart. */
const SKEW_MS = 3_600_000;

/** When a feed that is signed now ends. */
export const chooseExpiry = (nowMs: number, wanted: Date | undefined): string =>
  (wanted ?? new Date(nowMs + LIFE_MS)).toISOString();

/**
 * Why a feed must not take force for its times, or undefined. One that was signed with a clock far ahead would keep every later one out,
 * since agents refuse a lower serial.
 */
export function findTimeFault({ version, serial, expiresAt }: ReleaseFeed, nowMs: number): string | undefined {
  if (expiresAt === undefined) return `${version} was signed without an expiry, which devices refuse: sign it again.`;
  if (serial > nowMs + SKEW_MS)
    return `${version} was signed at ${new Date(serial).toISOString()}, which is in the future: set the clock of the signing machine and sign it again.`;
  const endsMs = Date.parse(expiresAt);
  if (endsMs <= nowMs) return `${version} was signed to expire on ${expiresAt}: sign it again.`;
  return endsMs - serial > MAX_LIFE_MS + SKEW_MS
    ? `${version} was signed to expire on ${expiresAt}, more than ${MAX_LIFE_MS / DAY_MS} days after its signing.`
    : undefined;
}
