/** Views of one minute, and those of them that were hurt in any way that counts. */
export interface MinuteOfViews {
  atMs: number;
  views: number;
  affected: number;
}

/** Minutes that are looked at together: single views of a quiet page say nothing. */
const TOGETHER_MS = 3 * 60_000;
const LEAST_AFFECTED = 2;

const shareOf = (minutes: readonly Omit<MinuteOfViews, 'atMs'>[]): number => {
  const views = minutes.reduce((sum, one) => sum + one.views, 0);
  return views === 0 ? 0 : minutes.reduce((sum, one) => sum + one.affected, 0) / views;
};

/**
 * The first minute from which views are hurt as the worst of them are: at least half as many as then, and twice as many as is usual.
 * Undefined where no minute stands out. Minutes in order; those without views may be left out.
 */
export function harmOnset(minutes: readonly MinuteOfViews[], usualShare: number): number | undefined {
  const from = minutes.map(({ atMs }, place) => {
    const together = minutes.slice(place).filter((one) => one.atMs < atMs + TOGETHER_MS);
    return { share: shareOf(together), affected: together.reduce((sum, one) => sum + one.affected, 0) };
  });
  const counted = from.filter(({ affected }) => affected >= LEAST_AFFECTED);
  const worst = Math.max(0, ...counted.map(({ share }) => share));
  const least = Math.max(worst / 2, 2 * usualShare);
  if (worst === 0 || worst < least) return undefined;
  // Minutes are looked at with what comes after them: one that is as usual itself is not yet the beginning.
  const hasBegun = (minute: MinuteOfViews): boolean => minute.affected > 0 && shareOf([minute]) >= least / 2;
  const first = minutes.findIndex(
    (minute, place) => hasBegun(minute) && (from[place]?.affected ?? 0) >= LEAST_AFFECTED && (from[place]?.share ?? 0) >= least,
  );
  return minutes[first]?.atMs;
}
