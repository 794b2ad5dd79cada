import { messageOf } from '../agent-error.ts';
import type { ConsentAnswer } from '../choices/consent.ts';
import { USUAL_DEPTH } from '../measure/measurer.ts';
import { disclosureState, mayMeasure, scope, serverOf, wantedSettings } from './in-force.ts';
import { runNow } from './rounds.ts';
import type { Running } from './running.ts';

/**
 * Follows what pause, consent and policy allow now. Where it is nothing: ends what is under way, tells the control plane, sends
 * nothing more. Where it is allowed again: measures at once.
 */
export function followRules(r: Running): void {
  if (r.stopped) return;
  const wasHalted = r.activity.isHalted();
  if (!mayMeasure(r)) {
    r.activity.halt('nothing may be measured now');
    r.link?.tell();
  } else if (wasHalted) {
    r.activity.resume();
    r.link?.tell();
    r.link?.wake('now');
    runNow(r, USUAL_DEPTH);
  }
  r.changed();
}

/** Takes the person's answer and follows it. A disk that refuses is told; the answer is in force until the service ends. */
export async function answerConsent(r: Running, answer: ConsentAnswer, shown = scope(r)): Promise<void> {
  const isMore = r.link !== undefined && !r.activity.isHalted() && disclosureState(r) === 'not_shown';
  const kept = r.consent.answer(answer, shown);
  followRules(r);
  if (isMore && !r.activity.isHalted()) runNow(r, USUAL_DEPTH);
  r.link?.tell();
  await kept.catch((error) => r.deps.log(`The answer could not be kept for the next start: ${messageOf(error)}`));
}

/** Shows what is new where no window does. */
export async function disclose(r: Running): Promise<void> {
  if (!r.deps.disclose || disclosureState(r) !== 'not_shown') return;
  if (r.deps.disclose(wantedSettings(r), serverOf(r))) await answerConsent(r, 'shown');
}
