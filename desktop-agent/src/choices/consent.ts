import type { DisclosureState } from '@svc/contracts/verdict';
import type { KeptFile } from '../kept-file.ts';
import type { Settings } from '../settings.ts';
import { asScope, exceeds, type Scope, within } from './scope.ts';

export type ConsentAnswer = Exclude<DisclosureState, 'not_shown'>;

/** How far the person at the device got with what is collected, and what follows from it. */
export interface Consent {
  /** `not_shown` also where more would be collected than was shown. */
  state(now: Scope): DisclosureState;
  /** Whether anything may be measured for `now`'s reader at all. */
  permits(now: Scope, mustAccept: boolean): boolean;
  /** Settings cut down to what was shown; as they are where nothing was shown yet. */
  bound(settings: Settings): Settings;
  /** When it was last shown, Unix milliseconds. */
  shownAtMs(): number | undefined;
  /** `shown` takes back neither an acceptance of the same nor a decline. Rejects where it could not be kept; it is in force all the same. */
  answer(answer: ConsentAnswer, scope: Scope): Promise<void>;
}

interface Kept {
  answer: ConsentAnswer;
  atMs: number;
  scope: Scope;
}

const ANSWERS: readonly unknown[] = ['shown', 'accepted', 'declined'] satisfies ConsentAnswer[];

function asKept(value: unknown): Kept | undefined {
  const kept = value as Partial<Kept> | null | undefined;
  const scope = asScope(kept?.scope);
  return scope && ANSWERS.includes(kept?.answer) && typeof kept?.atMs === 'number' ? ({ ...kept, scope } as Kept) : undefined;
}

function next(kept: Kept | undefined, answer: ConsentAnswer, scope: Scope): ConsentAnswer {
  if (answer !== 'shown' || !kept) return answer;
  if (kept.answer === 'declined') return 'declined';
  return kept.answer === 'accepted' && !exceeds(scope, kept.scope) ? 'accepted' : 'shown';
}

export async function openConsent(file: KeptFile, now: () => number): Promise<Consent> {
  let kept = asKept(await file.read());
  return {
    state(scope) {
      if (!kept) return 'not_shown';
      if (kept.answer === 'declined') return 'declined';
      return exceeds(scope, kept.scope) ? 'not_shown' : kept.answer;
    },
    permits: (scope, mustAccept) =>
      kept !== undefined &&
      kept.answer !== 'declined' &&
      kept.scope.server === scope.server &&
      (!mustAccept || kept.answer === 'accepted'),
    bound: (settings) => (kept ? within(settings, kept.scope) : settings),
    shownAtMs: () => kept?.atMs,
    answer(answer, scope) {
      kept = { answer: next(kept, answer, scope), atMs: now(), scope };
      return file.write(kept);
    },
  };
}
