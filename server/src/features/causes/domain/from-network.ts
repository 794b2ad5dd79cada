import type { Cause } from '@svc/contracts/verdict';
import {
  type Draft,
  type DraftPart,
  type FactOf,
  factsOf,
  grownOf,
  listWords,
  millisecondWords,
  type Situation,
  speaksAgainst,
  speaksFor,
} from './situation.ts';
import { failingTests, isPartial, shownBy } from './symptoms.ts';

type Share = FactOf<'devices.share'>;

const LAYERS: Readonly<Record<Exclude<Cause, 'none' | 'unknown'>, string>> = {
  wifi: 'the Wi-Fi',
  local: 'the local network',
  isp: 'the line of the ISP',
  network: 'the network beyond the ISP',
};
const GRACE_MS = 15 * 60_000;

const layerOf = (cause: Cause): string => (cause === 'none' || cause === 'unknown' ? 'the network' : LAYERS[cause]);

function draftShared(share: Share, situation: Situation): Draft {
  const { site, cause, affected, of } = share;
  const behind = share.gateway === null ? '' : ` behind gateway ${share.gateway}`;
  const parts: DraftPart[] = [
    speaksFor(
      share,
      (cause === 'network' ? 0.5 : 0.72) + 0.12 * Math.min(1, affected / Math.max(1, of)),
      `${affected} of ${of} devices at ${site}${behind} share it`,
    ),
  ];
  const failing = failingTests(situation);
  for (const test of failing.slice(0, 3)) {
    if (isPartial(test)) parts.push(speaksFor(test, 0.3, `it works from ${listWords(test.passingFrom)}`));
    else if ((shownBy(test).network ?? 0) > 0) parts.push(speaksFor(test, 0.2, 'tests do not get through either'));
  }
  const elsewhere = failing.find((test) => !isPartial(test) && test.failingFrom.length > 1);
  if (elsewhere) parts.push(speaksAgainst(elsewhere, 0.45, 'it fails from everywhere, where this network is not'));
  const inside = factsOf(situation, 'edge').find((edge) => grownOf(edge).isBad);
  if (inside) parts.push(speaksAgainst(inside, 0.4, 'services are worse among themselves, without this network'));
  if (share.atMs > situation.sinceMs + GRACE_MS) parts.push(speaksAgainst(share, 0.4, 'devices were hurt later than the rest'));
  return { kind: 'network', subject: site, clause: `${layerOf(cause)} at ${site}`, parts };
}

/** Tests alone: some places reach the target and others do not, or the way to it became slow. */
function draftWay(situation: Situation): Draft[] {
  const parts: DraftPart[] = [];
  const failing = failingTests(situation);
  const partial = failing.filter(isPartial);
  for (const test of partial.slice(0, 3))
    parts.push(
      speaksFor(test, 0.55, `it fails from ${listWords(test.failingFrom)} and works from ${listWords(test.passingFrom)}`),
    );
  for (const test of failing.filter((one) => !isPartial(one)).slice(0, 2)) {
    const strength = shownBy(test).network ?? 0;
    if (strength > 0) parts.push(speaksFor(test, strength * 0.8, 'nothing comes back from the target'));
  }
  for (const fact of factsOf(situation, 'test.phase').slice(0, 3)) {
    const strength = shownBy(fact as FactOf<'test.phase'>).network ?? 0;
    if (fact.phase === 'connect' && strength > 0)
      parts.push(
        speaksFor(fact, strength, `to connect takes ${millisecondWords(fact.nowMs)}, ${millisecondWords(fact.usualMs)} before`),
      );
  }
  if (parts.length === 0) return [];
  const inside = factsOf(situation, 'edge').find((edge) => grownOf(edge).isBad);
  if (inside) parts.push(speaksAgainst(inside, 0.5, 'services are worse among themselves'));
  const [first] = partial;
  const where = first ? listWords(first.failingFrom) : (situation.site ?? situation.target ?? 'the target');
  return [
    { kind: 'network', subject: where, clause: first ? `the network at ${where}` : `the network on the way to ${where}`, parts },
  ];
}

/** What many share on the way: Wi-Fi, local network, ISP, or the path that some places take. */
export function draftNetworks(situation: Situation): Draft[] {
  const shares = factsOf(situation, 'devices.share');
  // Of one place the cause of most: a line that is down makes other layers look bad too.
  const bySite = new Map<string, Share>();
  for (const share of shares) {
    const known = bySite.get(share.site);
    if (!known || share.affected > known.affected) bySite.set(share.site, share);
  }
  const drafts = [...bySite.values()].map((share) => draftShared(share, situation));
  return drafts.length > 0 ? drafts : draftWay(situation);
}
