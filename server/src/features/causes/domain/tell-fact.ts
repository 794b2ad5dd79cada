import type { EvidenceFact, EvidencePlane } from '@svc/contracts/causes/facts';
import type { EvidenceItem } from '@svc/contracts/causes/root-cause';
import { grownOf, hasUsual, listWords, loadOf, millisecondWords, percentWords } from './situation.ts';
import { isPartial } from './symptoms.ts';

type Told = Pick<EvidenceItem, 'sentence' | 'link'> & { plane: EvidencePlane };

const count = (value: number, one: string): string => `${value.toLocaleString('en')} ${one}${value === 1 ? '' : 's'}`;

const FAULTS: Readonly<Record<string, string>> = {
  assertion: 'the answer is not the one that is wanted',
  timeout: 'there is no answer in time',
  name_not_found: 'the name does not exist',
  name_unresolved: 'the name is not resolved',
  refused: 'the connection is refused',
  unroutable: 'there is no route',
  no_answer: 'nothing answers',
  reset: 'the connection is reset',
  closed: 'the connection is closed',
  certificate: 'the certificate is refused',
  tls: 'TLS fails',
  protocol: 'the answer is not understood',
  redirect: 'it redirects elsewhere',
  step: 'a step fails',
  crashed: 'the browser crashes',
  port_unreachable: 'the port is closed',
};

type Of<Kind extends EvidenceFact['kind']> = Extract<EvidenceFact, { kind: Kind }>;

function tellOutcome({
  testName,
  testType,
  failed,
  passed,
  lookedAt,
  fault,
  failingFrom,
  passingFrom,
  error,
  ...fact
}: Of<'test.outcome'>): Told {
  const link = { page: 'test', id: fact.testId } as const;
  if (failed === 0)
    return { plane: 'tests', link, sentence: `${testName} (${testType}) passes: ${count(passed, 'run')}, none failed.` };
  const why = error ?? FAULTS[fault ?? ''] ?? (lookedAt === null ? 'it fails' : 'the newest passed');
  const where = isPartial({ failingFrom, passingFrom })
    ? ` from ${listWords(failingFrom)}, and works from ${listWords(passingFrom)}`
    : failingFrom.length > 1
      ? ` from ${listWords(failingFrom)}`
      : '';
  // Where and why are told of a bounded number of runs: whoever needs the others has them on the test's page.
  const rest = lookedAt === null ? '' : ` Where and why by the newest ${lookedAt}; the test’s page lists the others.`;
  return {
    plane: 'tests',
    link,
    sentence: `${testName} fails${where}: ${failed.toLocaleString('en')} of ${count(failed + passed, 'run')}; ${why.replace(/\.$/, '')}.${rest}`,
  };
}

function tellCalls(fact: Of<'edge'> | Of<'service'>, who: string): string {
  const { errors, slower, isBad } = grownOf(fact);
  const said = [
    ...(errors
      ? [
          `${percentWords(fact.errors / Math.max(1, fact.calls))} of ${count(fact.calls, 'call')} fail, ${hasUsual(fact) ? percentWords(fact.usualErrorRatio) : 'none known'} before`,
        ]
      : []),
    ...(slower > 1
      ? [`95 % take up to ${millisecondWords(fact.p95Ms ?? 0)}, ${millisecondWords(fact.usualP95Ms ?? 0)} before`]
      : []),
    ...(loadOf(fact) >= 1.8 ? [`${loadOf(fact).toFixed(1)} times as many calls as before`] : []),
  ];
  if (isBad || said.length > 0) return `${who}: ${said.join('; ')}.`;
  return `${who}: ${hasUsual(fact) ? 'as before, ' : ''}${count(fact.calls, 'call')}${hasUsual(fact) ? '' : ', none known before'}${fact.p95Ms === null ? '' : `, 95 % within ${millisecondWords(fact.p95Ms)}`}.`;
}

function tellUsers({ app, host, views, errorRatio, usualErrorRatio, p75LcpMs, usualP75LcpMs }: Of<'users'>): Told {
  const usual = usualP75LcpMs === null ? '' : `, ${millisecondWords(usualP75LcpMs)} before`;
  const slow = p75LcpMs === null ? '' : `; a quarter wait longer than ${millisecondWords(p75LcpMs)}${usual}`;
  return {
    plane: 'rum',
    link: { page: 'app', id: `${app}/${host}` },
    sentence: `${app} on ${host}: ${percentWords(errorRatio)} of ${count(views, 'view')} have errors, ${percentWords(usualErrorRatio)} before${slow}.`,
  };
}

function tellChange({
  title,
  changeKind,
  number,
  target,
  prefix,
  dependency,
  score,
  topology,
  recency,
  ...fact
}: Of<'change'>): Told {
  const about = dependency ?? target ?? prefix ?? 'nothing in particular';
  const name = number === null ? 'Change' : `Change ${number}`;
  const parts = `${topology.toFixed(1)} x 0.6 + ${recency.toFixed(3)} x 0.4 = ${score.toFixed(3)}`;
  return {
    plane: 'changes',
    link: { page: 'change', id: fact.changeId },
    sentence: `${name} (${changeKind}) “${title}”, about ${about}; its score as a candidate is ${parts}.`,
  };
}

/** What a fact says to a person, and where it is looked up. */
export function tellFact(fact: EvidenceFact): Told {
  switch (fact.kind) {
    case 'test.outcome':
      return tellOutcome(fact);
    case 'test.phase': {
      const phase = fact.phase.replace('_', ' ');
      const sentence = `${fact.testName}: ${phase} takes ${millisecondWords(fact.nowMs)}, ${millisecondWords(fact.usualMs)} before.`;
      return { plane: 'tests', link: { page: 'test', id: fact.testId }, sentence };
    }
    case 'test.certificate': {
      const end = new Date(fact.notAfterMs).toISOString().slice(0, 10);
      const faults = [...(fact.trusted ? [] : ['not trusted']), ...(fact.nameMatches ? [] : ['for other names'])];
      const changed = fact.changedAtMs === null ? '' : '; another one was shown before';
      const sentence = `${fact.testName} shows a certificate valid until ${end}${faults.length > 0 ? `, ${faults.join(', ')}` : ''}${changed}.`;
      return { plane: 'tests', link: { page: 'test', id: fact.testId }, sentence };
    }
    case 'devices.share': {
      const behind = fact.gateway === null ? '' : ` behind gateway ${fact.gateway}`;
      const sentence = `${fact.affected} of ${fact.of} devices at ${fact.site}${behind} are slow for the same cause: ${fact.cause}.`;
      return { plane: 'endpoint', link: { page: 'site', id: fact.site }, sentence };
    }
    case 'edge':
      return {
        plane: 'otlp',
        link: { page: 'service', id: fact.target },
        sentence: tellCalls(fact, `${fact.source} to ${fact.target}`),
      };
    case 'service':
      return { plane: 'otlp', link: { page: 'service', id: fact.service }, sentence: tellCalls(fact, fact.service) };
    case 'operation': {
      const usual = fact.usualP95Ms === null ? 'it was not called before' : `${millisecondWords(fact.usualP95Ms)} before`;
      const sentence = `${fact.service}, “${fact.operation}”: 95 % take up to ${millisecondWords(fact.p95Ms)}, ${usual}; ${count(fact.errors, 'error')} in ${count(fact.calls, 'call')}.`;
      return { plane: 'otlp', link: { page: 'traces', id: fact.service }, sentence };
    }
    case 'log.pattern': {
      const usual = fact.usualCount === 0 ? 'none before' : `${fact.usualCount} before`;
      const sentence = `${fact.service} logs “${fact.pattern}”: ${count(fact.count, 'line')}, ${usual}.`;
      return { plane: 'logs', link: { page: 'logs', id: fact.service }, sentence };
    }
    case 'users':
      return tellUsers(fact);
    case 'change':
      return tellChange(fact);
  }
}
