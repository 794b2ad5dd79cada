/** The newest episode that is known of a failing. */
export interface KnownEpisode {
  occurredMs: number;
  recoveredMs: number | null;
  isHeldBack: boolean;
}

export interface RaisedEpisode {
  occurredMs: number;
  recovered: boolean;
  isHeldBack: boolean;
}

/**
 * `open` begins an episode, `keep` goes on with it, `release` goes on with one whose maintenance is over, `recover` ends it. What was
 * said before and comes once more, or comes late, is `nothing`.
 */
export type Step = 'open' | 'keep' | 'release' | 'recover' | 'nothing';

export function nextStep(known: KnownEpisode | undefined, raised: RaisedEpisode): Step {
  const isOpen = known !== undefined && known.recoveredMs === null;
  if (raised.recovered) return isOpen && raised.occurredMs >= known.occurredMs ? 'recover' : 'nothing';
  if (isOpen) return known.isHeldBack && !raised.isHeldBack ? 'release' : 'keep';
  // A message of an episode that has ended, delivered again.
  if (known !== undefined && raised.occurredMs <= (known.recoveredMs ?? 0)) return 'nothing';
  return 'open';
}
