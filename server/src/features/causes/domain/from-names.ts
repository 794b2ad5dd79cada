import {
  type Draft,
  type DraftPart,
  durationWords,
  type FactOf,
  factsOf,
  listWords,
  millisecondWords,
  type Situation,
  speaksAgainst,
  speaksFor,
} from './situation.ts';
import { failingTests, isPartial, shownBy } from './symptoms.ts';

/** Certificates and the resolution of names. */

type Certificate = FactOf<'test.certificate'>;

const GRACE_MS = 15 * 60_000;

const isBroken = ({ trusted, nameMatches }: Certificate): boolean => !trusted || !nameMatches;

function certificatePart(certificate: Certificate, situation: Situation): DraftPart | undefined {
  const leftMs = certificate.notAfterMs - situation.toMs;
  const lateMs = certificate.notAfterMs - situation.sinceMs;
  if (leftMs <= 0 && lateMs > GRACE_MS)
    return speaksFor(certificate, 0.2, `it ran out ${durationWords(lateMs)} after the harm began`);
  if (leftMs <= 0)
    return speaksFor(
      certificate,
      0.95,
      lateMs > 0 ? 'it ran out as the harm began' : `it ran out ${durationWords(lateMs)} before the harm began`,
    );
  if (isBroken(certificate))
    return speaksFor(
      certificate,
      0.8,
      certificate.nameMatches ? 'it is signed by nobody who is trusted' : 'it is for other names',
    );
  // One that still holds hurts nobody: where anything else fails as well it is not why.
  if (situation.signalKinds.length > 0 && situation.signalKinds.every((kind) => kind === 'test.certificate_expiring'))
    return speaksFor(certificate, 0.9, `it runs out in ${durationWords(leftMs)}`);
  return undefined;
}

export function draftCertificates(situation: Situation): Draft[] {
  const parts: DraftPart[] = [];
  const certificates = factsOf(situation, 'test.certificate');
  for (const certificate of certificates) {
    const part = certificatePart(certificate, situation);
    if (part) parts.push(part);
  }
  const failing = failingTests(situation);
  for (const test of failing.filter(({ fault }) => fault === 'certificate').slice(0, 2))
    parts.push(speaksFor(test, parts.length > 0 ? 0.4 : 0.75, 'the certificate is refused'));
  if (parts.length === 0) return [];
  const changed = certificates.find(
    ({ changedAtMs }) => changedAtMs !== null && Math.abs(changedAtMs - situation.sinceMs) <= GRACE_MS,
  );
  if (changed) parts.push(speaksFor(changed, 0.3, 'another certificate is shown since the harm began'));
  for (const line of factsOf(situation, 'log.pattern')
    .filter((one) => (shownBy(one).certificate ?? 0) > 0)
    .slice(0, 1))
    parts.push(speaksFor(line, 0.25, 'services refuse it too'));
  const own = new Set(certificates.map(({ testId }) => testId));
  const other = failing.find(({ testId, fault }) => own.has(testId) && fault !== 'certificate' && fault !== 'tls');
  if (other) parts.push(speaksAgainst(other, 0.6, 'it fails for another reason'));
  const name = situation.target ?? certificates[0]?.testName ?? 'the target';
  const isOver = certificates.some(({ notAfterMs }) => notAfterMs <= situation.toMs);
  const isNear = !isOver && certificates.some((one) => !isBroken(one)) && failing.length === 0;
  const clause = isOver
    ? `the certificate of ${name}, which has run out`
    : isNear
      ? `the certificate of ${name}, which is about to run out`
      : `the certificate of ${name}`;
  return [{ kind: 'certificate', subject: name, clause, parts }];
}

export function draftDns(situation: Situation): Draft[] {
  const parts: DraftPart[] = [];
  const failing = failingTests(situation).filter((test) => (shownBy(test).dns ?? 0) > 0);
  for (const test of failing.slice(0, 3))
    parts.push(speaksFor(test, parts.length === 0 ? 0.75 : 0.3, 'the name is not resolved'));
  const slow = factsOf(situation, 'test.phase').filter(({ phase }) => phase === 'dns');
  for (const fact of slow.slice(0, 2))
    parts.push(
      speaksFor(fact, 0.6, `to resolve the name takes ${millisecondWords(fact.nowMs)}, ${millisecondWords(fact.usualMs)} before`),
    );
  for (const line of factsOf(situation, 'log.pattern')
    .filter((one) => (shownBy(one).dns ?? 0) > 0)
    .slice(0, 1))
    parts.push(speaksFor(line, 0.4, 'services do not resolve it either'));
  if (parts.length === 0) return [];
  const partial = failing.find(isPartial);
  if (partial) parts.push(speaksAgainst(partial, 0.3, `it is resolved at ${listWords(partial.passingFrom)}`));
  // One that takes too long because its name does says nothing else.
  const isExplained = ({ testId }: FactOf<'test.outcome'>): boolean => slow.some((phase) => phase.testId === testId);
  const other = failingTests(situation).find(
    (test) => !failing.includes(test) && !isExplained(test) && (shownBy(test).service ?? 0) >= 0.5,
  );
  if (other) parts.push(speaksAgainst(other, 0.4, 'other tests get an answer, and a wrong one'));
  const name = situation.target ?? 'the target';
  return [{ kind: 'dns', subject: name, clause: `the resolution of the name ${name}`, parts }];
}
