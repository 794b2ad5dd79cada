import type { RumVerdict } from '@svc/contracts/rum/kinds';

export const RUM_KINDS = ['rum.user_impact_correlated', 'rum.user_impact_unseen_by_synthetics'] as const;
export type RumKind = (typeof RUM_KINDS)[number];

/** What an episode has signalled of one kind, once, in the words of that time. */
export interface Signalled {
  atMs: number;
  title: string;
  summary: string;
  attributes: Record<string, string>;
}

/** Users of a host hurt; it lasts until they are known to be well. */
export interface Episode {
  startedAtMs: number;
  signalled: Partial<Record<RumKind, Signalled>>;
  /** Judgements in a row that had too few views. */
  tooFew: number;
  /** Of the last one that was counted. */
  countedAtMs: number;
}

/** Of the last judgement. */
export interface Standing {
  verdict: RumVerdict;
  sufficient: boolean;
  sinceMs: number;
  episode: Episode | null;
}

export interface Judgement {
  verdict: RumVerdict;
  sufficient: boolean;
  nowMs: number;
}

/** Judgements come each minute: after an hour of too few views nobody can say that users still hurt. */
export const TOO_FEW_JUDGEMENTS = 60;
/** Another replica may judge again at once when it takes over: that is no minute more. */
const MINUTE_AT_LEAST_MS = 45_000;

const KIND_OF: Partial<Record<RumVerdict, RumKind>> = {
  user_impact_confirmed: 'rum.user_impact_correlated',
  user_only_synthetic_blind: 'rum.user_impact_unseen_by_synthetics',
};

/** How an episode goes on without a verdict of hurt: too few views keep it for an hour, enough of them end it. */
function waitOn(episode: Episode, { sufficient, nowMs }: Judgement): Episode | null {
  if (sufficient) return null;
  // Counted rather than timed, so that a clock that jumps ends nothing.
  const isDue = Math.abs(nowMs - episode.countedAtMs) >= MINUTE_AT_LEAST_MS;
  const tooFew = isDue ? episode.tooFew + 1 : episode.tooFew;
  return tooFew >= TOO_FEW_JUDGEMENTS ? null : { ...episode, tooFew, countedAtMs: isDue ? nowMs : episode.countedAtMs };
}

/** The next standing, and the kind that it signals for the first time in its episode; the caller adds the words. */
export function stepEpisode(before: Standing | undefined, now: Judgement): { standing: Standing; raises: RumKind | undefined } {
  const { verdict, sufficient, nowMs } = now;
  const isSame = before?.verdict === verdict && before.sufficient === sufficient;
  const sinceMs = isSame ? Math.min(before.sinceMs, nowMs) : nowMs;
  const kind = sufficient ? KIND_OF[verdict] : undefined;
  const known = before?.episode ?? null;
  if (kind === undefined)
    return { standing: { verdict, sufficient, sinceMs, episode: known && waitOn(known, now) }, raises: undefined };
  const episode: Episode = known
    ? { ...known, tooFew: 0, countedAtMs: nowMs }
    : { startedAtMs: nowMs, signalled: {}, tooFew: 0, countedAtMs: nowMs };
  return {
    standing: { verdict, sufficient, sinceMs, episode },
    raises: episode.signalled[kind] === undefined ? kind : undefined,
  };
}
