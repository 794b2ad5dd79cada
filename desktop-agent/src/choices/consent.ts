import { createHash } from 'node:crypto';
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
  /** What the person was shown last. */
  shown(): Scope | undefined;
  /** The answers so far with the very words that they were given to, oldest first. */
  record(): readonly AnswerRecord[];
  /** `shown` takes back neither an acceptance of the same nor a decline. Rejects where it could not be kept; it is in force all the same. */
  answer(answer: ConsentAnswer, scope: Scope, words?: Words): Promise<void>;
}

/** The text that the person had before them. */
export interface Words {
  language: string;
  text: string;
}

export interface AnswerRecord extends Words {
  answer: ConsentAnswer;
  atMs: number;
  /** Of the text, hex. */
  sha256: string;
}

interface Kept {
  answer: ConsentAnswer;
  atMs: number;
  scope: Scope;
  record: readonly AnswerRecord[];
}

/** Enough for years: it is asked only where more would be collected. */
const RECORDED = 10;

const ANSWERS: readonly unknown[] = ['shown', 'accepted', 'declined'] satisfies ConsentAnswer[];

function asKept(value: unknown): Kept | undefined {
  const kept = value as Partial<Kept> | null | undefined;
  const scope = asScope(kept?.scope);
  if (!scope || !ANSWERS.includes(kept?.answer) || typeof kept?.atMs !== 'number') return undefined;
  return { ...kept, scope, record: Array.isArray(kept.record) ? kept.record : [] } as Kept;
}

function next(kept: Kept | undefined, answer: ConsentAnswer, scope: Scope): ConsentAnswer {
  if (answer !== 'shown' || !kept) return answer;
  if (kept.answer === 'declined') return 'declined';
  return kept.answer === 'accepted' && !exceeds(scope, kept.scope) ? 'accepted' : 'shown';
}

/** The same words again add nothing: a banner is printed at each start. */
function nextRecord(record: readonly AnswerRecord[], entry: Omit<AnswerRecord, 'sha256'>): readonly AnswerRecord[] {
  const sha256 = createHash('sha256').update(entry.text).digest('hex');
  const last = record.at(-1);
  if (last?.sha256 === sha256 && last.answer === entry.answer) return record;
  return [...record, { ...entry, sha256 }].slice(-RECORDED);
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
    shown: () => kept?.scope,
    record: () => kept?.record ?? [],
    answer(answer, scope, words) {
      const atMs = now();
      const before = kept?.record ?? [];
      const record = words ? nextRecord(before, { answer, atMs, ...words }) : before;
      kept = { answer: next(kept, answer, scope), atMs, scope, record };
      return file.write(kept);
    },
  };
}
