import type { ServerMessage } from '@svc/contracts/agent/messages';
import { messageOf } from '../agent-error.ts';
import type { ControlPlaneFacts } from '../identity/control-plane-facts.ts';
import { FULL_DEPTH, USUAL_DEPTH } from '../measure/measurer.ts';
import type { Settings } from '../settings.ts';
import { disclose, followRules, type Gated } from './gate.ts';
import { disclosureState, settings } from './in-force.ts';

export interface Hearing extends Gated {
  plane: ControlPlaneFacts;
}

/** What a changed policy means for the person whose device it is: whom it contacts from now on. */
function describePolicy({ policyVersion, traceTargets, sessionTargets }: Settings): string {
  const list = (targets: readonly string[]): string => (targets.length > 0 ? targets.join(', ') : 'nothing');
  return `Policy ${policyVersion} is in force: traces ${list(traceTargets)}, opens ${list(sessionTargets)}.`;
}

async function followPolicy(r: Hearing): Promise<void> {
  await r.pause.cap(r.policy.current().maxPauseMinutes).catch((error) => r.deps.log(messageOf(error)));
  const wasShown = disclosureState(r) !== 'not_shown';
  await disclose(r);
  followRules(r);
  r.deps.log(describePolicy(settings(r)));
  r.uplink.tell();
  // What is shown first is measured once it was.
  if (wasShown) r.rounds.run(USUAL_DEPTH);
}

/** Follows what the control plane says. */
export async function hearServer(r: Hearing, message: ServerMessage): Promise<void> {
  if (r.plane.hear(message)) r.faces.changed();
  if (message.policy_json !== '' && (await r.policy.receive(message.policy_json))) await followPolicy(r);
  if (message.run_now) r.rounds.run(FULL_DEPTH);
  if (message.renew_now) await r.keeper.renewNow();
}
