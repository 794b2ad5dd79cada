import { messageOf } from '../agent-error.ts';
import type { ConsentAnswer, Words } from '../choices/consent.ts';
import type { Scope } from '../choices/scope.ts';
import type { Activity } from '../measure/activity.ts';
import { USUAL_DEPTH } from '../measure/measurer.ts';
import type { ConnectedFaces } from './connected-faces.ts';
import type { ServiceDeps } from './deps.ts';
import { type Deciding, disclosureState, mayMeasure, scope, serverOf, wantedSettings } from './in-force.ts';
import type { Rounds } from './rounds.ts';
import type { Uplink } from './uplink.ts';

/** What starts and stops with the answers of the person and with policy. */
export interface Gated extends Deciding {
  deps: ServiceDeps;
  activity: Activity;
  rounds: Rounds;
  uplink: Uplink;
  faces: ConnectedFaces;
}

/**
 * Follows what pause, consent and policy allow now. Where it is nothing: ends what is under way, tells the control plane, sends
 * nothing more. Where it is allowed again: measures at once.
 */
export function followRules(r: Gated): void {
  if (r.rounds.isStopped()) return;
  const wasHalted = r.activity.isHalted();
  if (!mayMeasure(r)) {
    r.activity.halt('nothing may be measured now');
    r.uplink.tell();
  } else if (wasHalted) {
    r.activity.resume();
    r.uplink.tell();
    r.uplink.wake('now');
    r.rounds.run(USUAL_DEPTH);
  }
  r.faces.changed();
}

/** What an answer is to: default, what is asked for now. */
interface Shown {
  scope?: Scope | undefined;
  words?: Words | undefined;
}

/** Takes the person's answer and follows it. A disk that refuses is told; the answer is in force until the service ends. */
export async function answerConsent(r: Gated, answer: ConsentAnswer, shown: Shown = {}): Promise<void> {
  const isMore = r.uplink.isStarted() && !r.activity.isHalted() && disclosureState(r) === 'not_shown';
  const kept = r.consent.answer(answer, shown.scope ?? scope(r), shown.words);
  followRules(r);
  if (isMore && !r.activity.isHalted()) r.rounds.run(USUAL_DEPTH);
  r.uplink.tell();
  await kept.catch((error) => r.deps.log(`The answer could not be kept for the next start: ${messageOf(error)}`));
}

/** Prints what is collected where no window shows it. */
export async function printDisclosure(r: Gated): Promise<void> {
  const text = r.deps.disclose?.(wantedSettings(r), serverOf(r));
  if (text !== undefined) await answerConsent(r, 'shown', { words: { language: 'en', text } });
}

/** Shows what is new where no window does. */
export async function disclose(r: Gated): Promise<void> {
  if (disclosureState(r) === 'not_shown') await printDisclosure(r);
}
