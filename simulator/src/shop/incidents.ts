/** What is wrong in the shop at one moment: the truth that the telemetry lets a person find. */
export interface Incidents {
  /** The payment provider takes seconds instead of a fifth of one, and more than a quarter of its answers come too late. */
  isProviderSlow: boolean;
  /** checkout runs a version that fails for carts with a voucher. */
  isBadDeploy: boolean;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Minutes from the scenario's anchor; both come back each day, so that any 24 hours hold all of both. */
export const PROVIDER_SLOW = { fromMin: -50, toMin: 120 } as const;
export const BAD_DEPLOY = { fromMin: -180, toMin: -168 } as const;
export const BAD_VERSION = '2.14.0';

const isWithin = (atMs: number, { fromMin, toMin }: { fromMin: number; toMin: number }): boolean =>
  (((atMs - fromMin * MINUTE) % DAY) + DAY) % DAY < (toMin - fromMin) * MINUTE;

/** `atMs` counts from the anchor. */
export const incidentsAt = (atMs: number): Incidents => ({
  isProviderSlow: isWithin(atMs, PROVIDER_SLOW),
  isBadDeploy: isWithin(atMs, BAD_DEPLOY),
});

const PEAK_HOUR_UTC = 15;
const MEAN_PER_SECOND = 7;

/** Requests a second that people make at a moment: 2 by night, 12 in the afternoon. Unix milliseconds. */
export function loadAt(unixMs: number): number {
  const hour = (unixMs % DAY) / (60 * MINUTE);
  return MEAN_PER_SECOND * (1 + 0.7 * Math.cos(((hour - PEAK_HOUR_UTC) / 24) * 2 * Math.PI));
}
