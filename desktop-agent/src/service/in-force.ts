import type { AgentState, DisclosureState, MissingPermission } from '@svc/contracts/verdict';
import type { Consent } from '../choices/consent.ts';
import type { Pause } from '../choices/pause.ts';
import { type Scope, scopeOf } from '../choices/scope.ts';
import type { Switches } from '../choices/switches.ts';
import type { Keeper } from '../identity/keeper.ts';
import type { PolicyStore } from '../policy-store.ts';
import { COLLECT_NOTHING, type Collect, type Labels, labelsToSend, NO_LABELS } from '../privacy/collect.ts';
import type { LinkState } from '../publish/link.ts';
import { type Settings, settingsOf } from '../settings.ts';
import type { ServiceDeps } from './deps.ts';

/** Who decides what is measured, and what may leave. */
export interface Deciding {
  deps: Pick<ServiceDeps, 'config' | 'server'>;
  policy: PolicyStore;
  switches: Switches;
  keeper: Keeper;
  consent: Consent;
  pause: Pause;
}

/** What device, tenant and person together ask for, whether or not the person has seen it yet. */
export const wantedSettings = (r: Deciding): Settings => settingsOf(r.deps.config, r.policy.current(), r.switches.current());

/** What is in force: a policy's additions wait until they were shown. */
export const settings = (r: Deciding): Settings => r.consent.bound(wantedSettings(r));

/** Where results go; null: nowhere yet. */
export const serverOf = (r: Pick<Deciding, 'keeper' | 'deps'>): string | null =>
  r.keeper.current()?.identity.server ?? r.deps.server ?? null;

export const scope = (r: Deciding): Scope => scopeOf(wantedSettings(r), serverOf(r));

export const disclosureState = (r: Deciding): DisclosureState => r.consent.state(scope(r));

export const isPermitted = (r: Deciding): boolean => r.consent.permits(scope(r), r.policy.current().mustAccept);

export const mayMeasure = (r: Deciding): boolean => r.pause.untilMs() === undefined && isPermitted(r);

/** What the device says of itself beside its results: nothing before the person has seen what is collected. */
export const mayTell = (r: Deciding): Readonly<Collect> => (isPermitted(r) ? settings(r).collect : COLLECT_NOTHING);

/** The labels of this device that may leave it: none before the person has seen that. */
export const labelsToTell = (r: Deciding): Readonly<Labels> =>
  isPermitted(r) ? labelsToSend(r.deps.config, r.deps.config.sendsLabels) : NO_LABELS;

interface Known {
  link: LinkState | undefined;
  missing: ReadonlySet<MissingPermission>;
}

export function agentState(r: Deciding, { link, missing }: Known): AgentState {
  if (disclosureState(r) === 'declined') return 'declined';
  if (r.pause.untilMs() !== undefined) return 'paused';
  if (link?.problem === 'upgrade_required') return 'update_required';
  return missing.size > 0 ? 'needs_permission' : 'running';
}
