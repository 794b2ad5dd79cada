import type { EvidenceFact } from '@svc/contracts/causes/facts';
import {
  type Draft,
  type DraftPart,
  durationWords,
  type FactOf,
  factsOf,
  grownOf,
  hasUsual,
  millisecondWords,
  type Situation,
  speaksAgainst,
  speaksFor,
} from './situation.ts';
import { failingTests, isPartial, type Symptom, shownBy, symptomsOf } from './symptoms.ts';

type Change = FactOf<'change'>;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Clocks of senders may be this much ahead. */
const GRACE_MS = 5 * MINUTE_MS;
/** What a change harms shows within this time. */
const SHOWS_WITHIN_MS = 30 * MINUTE_MS;
const MAX_CORROBORATION = 3;

/** How well a kind of change explains a kind of harm. */
const FITS: Readonly<Record<Symptom, Readonly<Record<Change['changeKind'], number>>>> = {
  service: { deploy: 1, release: 1, config: 0.95, iac: 0.85, commit: 0.5, route: 0.4, other: 0.7 },
  network: { deploy: 0.4, release: 0.3, config: 0.85, iac: 0.95, commit: 0.2, route: 1, other: 0.5 },
  dns: { deploy: 0.3, release: 0.3, config: 0.9, iac: 0.95, commit: 0.3, route: 0.5, other: 0.7 },
  certificate: { deploy: 0.9, release: 0.7, config: 0.95, iac: 0.95, commit: 0.3, route: 0.3, other: 0.7 },
  client: { deploy: 1, release: 1, config: 0.7, iac: 0.4, commit: 0.5, route: 0.3, other: 0.6 },
};
const NAMES_DNS = /\b(dns|zone|record|name ?server|ttl|cname)\b/i;

/** A change that is dated this far behind the first sign is dated by a clock that is ahead, or by a sender that tells of it afterwards. */
const TOLD_LATE_MS = MINUTE_MS;
/** Of one at the end of the grace: by then it is what somebody did about the harm as a rule. */
const FIT_AFTER = 0.25;

/** Of a change that begins the harm at once 1, of one a day before hardly anything, and of one behind its first sign less with each minute. */
function timeFit(lagMs: number): number {
  const lateMs = -lagMs - TOLD_LATE_MS;
  if (lateMs > 0) return Math.max(FIT_AFTER, 1 - ((1 - FIT_AFTER) * lateMs) / (GRACE_MS - TOLD_LATE_MS));
  const steps: readonly (readonly [untilMs: number, fit: number])[] = [
    [15 * MINUTE_MS, 1],
    [HOUR_MS, 0.75],
    [6 * HOUR_MS, 0.35],
    [24 * HOUR_MS, 0.1],
  ];
  let [fromMs, from] = [15 * MINUTE_MS, 1];
  for (const [untilMs, fit] of steps) {
    if (lagMs <= untilMs) return untilMs === fromMs ? fit : from + ((fit - from) * (lagMs - fromMs)) / (untilMs - fromMs);
    [fromMs, from] = [untilMs, fit];
  }
  return 0.1;
}

/** How surely a change is where the harm is. */
function placeOf(change: Change, situation: Situation): { weight: number; words: string } {
  if (change.dependency !== null) {
    const isHurt = edgesInto(situation, change.dependency).some((edge) => grownOf(edge).isBad);
    return isHurt
      ? { weight: 0.75, words: `changed ${change.dependency}, whose calls are worse than usual` }
      : { weight: 0.15, words: `changed ${change.dependency}, which is called by what is hurt` };
  }
  if (change.topology >= 1) return { weight: 0.8, words: 'names exactly what is hurt' };
  if (change.topology >= 0.8) return { weight: 0.65, words: 'is about an address inside of the network that is hurt' };
  if (change.topology >= 0.7) return { weight: 0.55, words: 'is about a network that overlaps the one that is hurt' };
  return { weight: 0.2, words: 'names nothing, and neither does the incident' };
}

const edgesInto = (situation: Situation, service: string): readonly FactOf<'edge'>[] =>
  factsOf(situation, 'edge').filter(({ target }) => target === service);

/** The best that the kind of the change explains of what is seen; the strongest signs count in full. */
function kindFit(change: Change, situation: Situation): { fit: number; symptom: Symptom } {
  const seen = Object.entries(symptomsOf(situation)) as [Symptom, number][];
  const strongest = Math.max(...seen.map(([, strength]) => strength), 0.01);
  let best: { fit: number; symptom: Symptom } = { fit: 0, symptom: 'service' };
  for (const [symptom, strength] of seen) {
    const own = symptom === 'dns' && NAMES_DNS.test(change.title) ? 1 : FITS[symptom][change.changeKind];
    const fit = own * Math.min(1, strength / strongest);
    if (fit > best.fit) best = { fit, symptom };
  }
  return best.fit === 0 ? { fit: FITS.service[change.changeKind], symptom: 'service' } : best;
}

const KIND_WORDS: Readonly<Record<Change['changeKind'], string>> = {
  ...{ deploy: 'deploy', config: 'change of configuration', route: 'change of a route', iac: 'change of infrastructure' },
  ...{ commit: 'commit', release: 'release', other: 'change' },
};

const lagWords = (lagMs: number): string =>
  lagMs >= 0 ? `${durationWords(lagMs)} before the harm began` : `${durationWords(lagMs)} after the harm was first seen`;

/** Whether a fact is about what was changed: of what is hurt all but its calls to others, of a dependency what is said of it. */
function isAbout(fact: EvidenceFact, change: Change, asked: ReadonlySet<string>): boolean {
  if (change.dependency !== null)
    return fact.kind === 'edge' ? fact.target === change.dependency : 'service' in fact && fact.service === change.dependency;
  return fact.kind !== 'edge' || asked.has(fact.target);
}

const askedServices = (situation: Situation): ReadonlySet<string> =>
  new Set(factsOf(situation, 'service').flatMap(({ service, isAsked }) => (isAsked ? [service] : [])));

const isBehind = (atMs: number | null, change: Change): boolean =>
  atMs !== null && atMs >= change.atMs - GRACE_MS && atMs <= change.atMs + SHOWS_WITHIN_MS;

/** What began right after the change, and is of the kind that it explains. */
function corroboration(change: Change, situation: Situation, symptom: Symptom): DraftPart[] {
  const asked = askedServices(situation);
  const strength = (fact: EvidenceFact): number => shownBy(fact)[symptom] ?? 0;
  const found = situation.facts.filter(
    (fact) => fact.kind !== 'change' && isAbout(fact, change, asked) && strength(fact) > 0.15 && isBehind(fact.atMs, change),
  );
  const parts = found
    .toSorted((a, b) => strength(b) - strength(a) || a.atMs - b.atMs)
    .slice(0, MAX_CORROBORATION)
    .map((fact) => {
      const behind = fact.atMs - change.atMs;
      const when = behind < MINUTE_MS ? 'with the change' : `${durationWords(behind)} after the change`;
      const isShown = fact.kind === 'test.certificate' && isBehind(fact.changedAtMs, change);
      if (isShown) return speaksFor(fact, 0.65, `another certificate is shown since ${when}`);
      return speaksFor(fact, symptom === 'network' && fact.kind === 'devices.share' ? 0.5 : 0.25, `it began ${when}`);
    });
  return parts;
}

/** What a change does not explain. */
function objections(change: Change, situation: Situation, symptom: Symptom): DraftPart[] {
  const against: DraftPart[] = [];
  if (change.unapplied === 'waiting') against.push(speaksAgainst(change, 0.9, 'it waits and has not begun'));
  if (change.unapplied === 'cancelled')
    against.push(speaksAgainst(change, 0.6, 'it was called off, and may have changed nothing'));
  const isOther = failingTests(situation).some(({ fault }) => fault !== 'certificate' && fault !== 'tls');
  for (const fact of factsOf(situation, 'test.certificate'))
    if (!isOther && fact.notAfterMs <= situation.sinceMs + GRACE_MS && fact.notAfterMs > change.atMs - HOUR_MS)
      against.push(speaksAgainst(fact, 0.85, 'a certificate runs out without any change'));
  const partial = failingTests(situation).find(isPartial);
  if (partial && (change.topology >= 1 || change.dependency !== null))
    against.push(speaksAgainst(partial, 0.4, 'from other places the same works, where the change is as well'));
  for (const fact of factsOf(situation, 'devices.share'))
    if (change.topology >= 1 && fact.cause !== 'network' && fact.atMs <= situation.sinceMs + GRACE_MS)
      against.push(speaksAgainst(fact, 0.5, 'these devices are slow on the way, before they reach the target'));
  const before = factsOf(situation, 'edge').find(
    (edge) => grownOf(edge).isBad && edge.target !== change.dependency && edge.atMs < change.atMs - 2 * MINUTE_MS,
  );
  if (before) against.push(speaksAgainst(before, 0.6, 'it was so before the change'));
  const asked = factsOf(situation, 'service').find((one) => one.isAsked && one.calls >= 10 && hasUsual(one));
  if (asked && change.topology >= 1 && symptom !== 'client' && !grownOf(asked).isBad)
    against.push(
      speaksAgainst(
        asked,
        0.35,
        `it answers as before${asked.p95Ms === null ? '' : `, 95 % within ${millisecondWords(asked.p95Ms)}`}`,
      ),
    );
  return against;
}

function draftOf(change: Change, situation: Situation): Draft {
  const lagMs = situation.sinceMs - change.atMs;
  const place = placeOf(change, situation);
  const time = timeFit(lagMs);
  const { fit, symptom } = kindFit(change, situation);
  const what = KIND_WORDS[change.changeKind];
  const parts: DraftPart[] = [
    speaksFor(change, Math.round(place.weight * time * fit * 1000) / 1000, `it ${place.words}, and came ${lagWords(lagMs)}`),
  ];
  if (time >= 0.5 && place.weight >= 0.5) parts.push(...corroboration(change, situation, symptom));
  if (change.failed) parts.push(speaksFor(change, 0.25, 'its own delivery says that it failed'));
  if (change.verdict === 'cause') parts.push(speaksFor(change, 0.95, 'a person marked it as the cause'));
  parts.push(...objections(change, situation, symptom));
  if (change.verdict === 'ruled_out') parts.push(speaksAgainst(change, 0.9, 'a person ruled it out'));
  const name = change.number === null ? what : `${what} ${change.number}`;
  return {
    kind: 'change',
    subject: change.changeId,
    clause: `the ${name} “${change.title}”${change.dependency === null ? '' : ` of ${change.dependency}`}, ${lagWords(lagMs)}`,
    parts,
  };
}

/** Each change before the harm that is about what is hurt, or about what that calls. */
export const draftChanges = (situation: Situation): Draft[] =>
  factsOf(situation, 'change')
    .filter(({ atMs }) => atMs <= situation.sinceMs + GRACE_MS)
    .filter(({ topology, dependency }) => topology > 0 || dependency !== null || situation.target === null)
    .map((change) => draftOf(change, situation));
