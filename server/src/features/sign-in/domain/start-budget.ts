const WINDOW_MS = 60_000;
/** Sites of people who signed in that are remembered, the oldest go: theirs is half of all starts, whoever takes the other half. */
const MOST_KNOWN = 10_000;
/** Steps of strangers a minute, and as many of known sites; twice as many while sites that took little come late. A sign-in has three. */
const MOST_STEPS = 9000;
const LATE_FACTOR = 2;

/** Counts of one minute, shared out by site. */
function createShare(most: number) {
  const counts = new Map<string, number>();
  let total = 0;
  return (site: string): boolean => {
    const own = counts.get(site) ?? 0;
    const sites = counts.size + (own === 0 ? 1 : 0);
    const isLittle = own < Math.max(1, Math.floor(most / sites));
    if (total >= most && !(isLittle && total < LATE_FACTOR * most)) return false;
    counts.set(site, own + 1);
    total += 1;
    return true;
  };
}

/**
 * Bounds the sign-ins that begin in a minute, from all addresses together: each keeps something in the database for ten minutes. A site that
 * took less than an equal part gets in although others have taken all; sites from which somebody signed in have a half of their own.
 */
export function createStartBudget({ nowMs, most = MOST_STEPS }: { nowMs: () => number; most?: number | undefined }) {
  const known = new Set<string>();
  let began = Number.NEGATIVE_INFINITY;
  let shares = { known: createShare(most), strangers: createShare(most) };

  return {
    /** Milliseconds after which it makes sense to try again; 0 when it was counted. */
    take(site: string): number {
      const now = nowMs();
      // A clock that was set back begins anew too.
      if (now - began >= WINDOW_MS || now < began) {
        began = now;
        shares = { known: createShare(most), strangers: createShare(most) };
      }
      const take = known.has(site) ? shares.known : shares.strangers;
      return take(site) ? 0 : began + WINDOW_MS - now;
    },
    /** Somebody signed in from there. */
    know(site: string): void {
      known.delete(site);
      known.add(site);
      if (known.size > MOST_KNOWN) known.delete(known.values().next().value ?? '');
    },
  };
}
