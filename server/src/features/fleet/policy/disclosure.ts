import { CollectSchema, type Policy } from '@svc/contracts/policy';
import { RESULTS_KEPT_DAYS } from '@svc/contracts/retention';
import { createDisclosureWords, itemName, itemWhat, itemWhy } from '@svc/contracts/words/disclosure-words';
import { itemsOfPolicy } from '@svc/contracts/words/policy-items';
import type { Disclosure } from '../api.ts';
import type { TenantFacts } from '../context.ts';

export interface Disclosing {
  /** Address that agents enrol at; they open it too. */
  serverUrl: string;
  facts: TenantFacts | undefined;
  changedAt: string | null;
}

/**
 * What agents of a tenant collect, as their own pages show it to the people who use the devices; a device may withhold more. The
 * sentences are English, `items` is what a face puts into words of its reader's language.
 */
export function describeCollection(policy: Policy, { serverUrl, facts, changedAt }: Disclosing): Disclosure {
  const words = createDisclosureWords('en');
  const items = itemsOfPolicy(policy, serverUrl, CollectSchema.parse({}));
  return {
    collected: items
      .filter(({ on }) => on)
      .map((item) => ({
        what: `${itemName(words, item)}: ${itemWhat(words, item)}`,
        why: itemWhy(words, item),
        every_seconds: item.everySeconds,
      })),
    never: [words.t('collect.neverText')],
    // What is measured at no time has no target: that is not withheld.
    withheld: items.filter(({ on, everySeconds }) => !on && everySeconds === null).map((item) => itemName(words, item)),
    contacted: [
      ...policy.traceTargets.map((target) => ({ target, why: 'trace target' })),
      ...policy.sessionTargets.map((target) => ({ target, why: 'session target' })),
    ],
    policy_version: policy.version,
    policy_changed_at: changedAt,
    items: items.map(({ item, on, decidedBy, everySeconds, targets }) => ({
      item,
      on,
      decided_by: decidedBy,
      every_seconds: everySeconds,
      targets,
    })),
    organisation: facts?.organisation || null,
    readers: facts?.readers || null,
    kept_days: RESULTS_KEPT_DAYS,
    must_accept: policy.mustAccept,
    max_pause_minutes: policy.maxPauseMinutes,
  };
}
