import type { DiscoveredList } from '@svc/contracts/proposals/proposal';
import { canonicalHost } from '@svc/contracts/tests/target';
import type { WrittenTest } from '@svc/contracts/tests/written-test';
import type { Ctx } from '#kernel';
import type { ProposalsDeps } from './context.ts';
import { readDismissed } from './dismissals.ts';
import { completeProposal } from './domain/complete.ts';
import { type RankedPlace, rankPlaces } from './domain/rank-places.ts';

function draftOf({ host, type, target, reason }: RankedPlace, taken: Set<string>) {
  let name = host.slice(0, 190);
  for (let more = 2; taken.has(name.toLowerCase()); more += 1) name = `${host.slice(0, 190)} ${more}`;
  taken.add(name.toLowerCase());
  const test = { name, type, target } satisfies WrittenTest;
  const reasons = { name: 'Named after its host.', type: 'It fits what was seen of the host.', target: reason };
  return { test, reasons, rationale: reason, fields: { name: 'inferred', type: 'inferred', target: 'inferred' } as const };
}

const nothingOf = (observed: number, dismissed: number): string => {
  if (observed === 0)
    return 'Nothing was seen yet that could be tested: no device measures sessions, no app of real users is there, no service sent traces, and no incident names a target.';
  return dismissed > 0 ? 'All that was seen has a test, or was dismissed.' : 'All that was seen has a test.';
};

/** What the tenant's own data show and no test asks. It makes nothing, and asks nobody outside. */
export async function discover(deps: ProposalsDeps, { principal: { tenant } }: Ctx): Promise<DiscoveredList> {
  const [observations, tests, dismissed] = await Promise.all([
    deps.observe(tenant),
    deps.knownTests(tenant),
    deps.relational.withTenantSql(tenant, readDismissed),
  ]);
  const tested = new Set(tests.map(({ target }) => canonicalHost(target)));
  const allowed = observations.filter(({ target }) => deps.refuseHost(canonicalHost(target)) === undefined);
  const ranked = rankPlaces(allowed, { tested, dismissed });
  const taken = new Set(tests.map(({ name }) => name.toLowerCase()));
  const items = ranked.places.flatMap((place) => {
    const completed = completeProposal(draftOf(place, taken), 'heuristic');
    if ('faults' in completed) return [];
    const { host, reason, evidence, value } = place;
    return [{ ...completed.proposal, host, reason, evidence, value }];
  });
  const nothing = items.length > 0 ? null : nothingOf(allowed.length, ranked.dismissed.length);
  return { items, next_cursor: null, nothing, dismissed: ranked.dismissed };
}
