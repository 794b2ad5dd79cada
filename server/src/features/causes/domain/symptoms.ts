import type { EvidenceFact } from '@svc/contracts/causes/facts';
import type { RunFault } from '@svc/contracts/tests/run-report';
import { factsOf, grownOf, type Situation } from './situation.ts';

/** What kind of harm a fact shows. A fact may show several, none of them surely. */
export type Symptom = 'service' | 'network' | 'dns' | 'certificate' | 'client';

type Shown = Partial<Record<Symptom, number>>;

const SERVICE: Shown = { service: 0.6 };
const UNREACHED: Shown = { network: 0.35, service: 0.35 };
const NONE: Shown = {};

/** How strongly a run's fault shows what is wrong. With the last four nothing was measured. */
const OF_FAULT: Readonly<Record<RunFault, Shown>> = {
  ...{ assertion: SERVICE, step: SERVICE, redirect: SERVICE, too_large: SERVICE, protocol: SERVICE, crashed: SERVICE },
  ...{ refused: SERVICE, reset: SERVICE, closed: SERVICE, port_unreachable: SERVICE },
  ...{ timeout: UNREACHED, no_answer: UNREACHED, unroutable: { network: 0.5 } },
  tls: { certificate: 0.3, network: 0.3, service: 0.3 },
  ...{ name_not_found: { dns: 0.8 }, name_unresolved: { dns: 0.8 } },
  certificate: { certificate: 0.9 },
  ...{ target_refused: NONE, not_capable: NONE, secret: NONE, internal: NONE },
};

const OF_PHASE = {
  dns: { dns: 0.6 },
  connect: { network: 0.5, service: 0.2 },
  tls: { network: 0.3, certificate: 0.3, service: 0.3 },
  first_byte: SERVICE,
  transfer: { network: 0.35, service: 0.35 },
} as const satisfies Record<string, Shown>;

const DNS_WORDS = /enotfound|nxdomain|getaddrinfo|name resolution|no such host|servfail/i;
const CERTIFICATE_WORDS = /certificate (has )?expired|cert_has_expired|x509|unable to verify|self.signed certificate/i;

/** What one fact shows; nothing where it is as usual. */
export function shownBy(fact: EvidenceFact): Shown {
  switch (fact.kind) {
    case 'test.outcome':
      return fact.failed > 0 && fact.fault !== null ? OF_FAULT[fact.fault] : NONE;
    case 'test.phase':
      return OF_PHASE[fact.phase];
    case 'devices.share':
      return { network: fact.cause === 'network' ? 0.4 : 0.7 };
    case 'edge':
    case 'service':
      return grownOf(fact).isBad ? SERVICE : NONE;
    case 'operation':
      return SERVICE;
    case 'log.pattern':
      if (DNS_WORDS.test(fact.pattern)) return { dns: 0.4, service: 0.2 };
      return CERTIFICATE_WORDS.test(fact.pattern) ? { certificate: 0.5, service: 0.2 } : { service: 0.4 };
    case 'users':
      return fact.isDegraded ? { client: 0.5, service: 0.3 } : NONE;
    case 'test.certificate':
      return fact.changedAtMs === null ? NONE : { certificate: 0.3 };
    case 'change':
      return NONE;
  }
}

/** The strongest sign of each kind of harm. */
export function symptomsOf({ facts }: Pick<Situation, 'facts'>): Readonly<Record<Symptom, number>> {
  const strongest = { service: 0, network: 0, dns: 0, certificate: 0, client: 0 };
  for (const fact of facts)
    for (const [symptom, strength] of Object.entries(shownBy(fact)) as [Symptom, number][])
      strongest[symptom] = Math.max(strongest[symptom], strength);
  // Where tests fail as well, users are hurt by what the tests see.
  if (failingTests({ facts }).length > 0) strongest.client = 0;
  return strongest;
}

export const failingTests = (situation: Pick<Situation, 'facts'>) =>
  factsOf(situation, 'test.outcome').filter(({ failed, fault }) => failed > 0 && fault !== null);

/** Runs that fail from some places while they pass from others at the same time. */
export const isPartial = ({
  failingFrom,
  passingFrom,
}: {
  failingFrom: readonly string[];
  passingFrom: readonly string[];
}): boolean => failingFrom.length > 0 && passingFrom.length > 0;
