import type { CertificateFacts, Phase, RunFault } from '@svc/contracts/tests/run-report';
import { createRandom, hashOf, type Random } from '../domain/random.ts';
import { activeFaults, askHost, durationAround } from './requests.ts';
import { type FaultOf, MINUTE_MS, type Scenario, type TestPlan } from './scenario.ts';

/** Runs of the tests of a scenario, a minute apart from each place. */

export interface SimulatedRun {
  /** Names of the test and of the place. */
  test: string;
  runner: string;
  startedAtMs: number;
  success: boolean;
  fault: RunFault | undefined;
  error: string | undefined;
  phases: Partial<Record<Phase, number>>;
  totalMs: number;
  certificate: CertificateFacts | undefined;
}

interface Run {
  scenario: Scenario;
  test: TestPlan;
  runner: string;
  onsetMs: number;
  atMs: number;
  random: Random;
}

const DAY_MS = 24 * 60 * MINUTE_MS;
/** Of a thousand runs that nothing is wrong with. */
const USUAL_FAILURES = 0.003;

/** The host that a target names. */
export const hostOf = (target: string): string => URL.parse(target)?.hostname ?? target;
const isOfHost = ({ scenario, test }: Run): boolean => hostOf(test.target) === scenario.estate.host;

function certificateOf(run: Run): CertificateFacts | undefined {
  const { scenario, test, onsetMs, atMs } = run;
  if (!test.target.startsWith('https:')) return undefined;
  const host = hostOf(test.target);
  const [fault] = isOfHost(run) ? activeFaults(scenario, 'certificate', atMs - onsetMs) : [];
  const expires = isOfHost(run) && scenario.faults.some((one) => one.what === 'certificate' && one.how === 'expired');
  const isNew = fault !== undefined && fault.how !== 'expired';
  const iso = (ms: number): string => new Date(Math.floor(ms)).toISOString();
  return {
    ...{
      subject: `CN=${host}`,
      issuer: fault?.how === 'untrusted' ? `CN=${host}` : 'CN=Public CA',
      names: [fault?.how === 'wrong_name' ? `old.${host}` : host],
    },
    not_before: iso(isNew ? onsetMs - DAY_MS : onsetMs - 80 * DAY_MS),
    not_after: iso(expires ? onsetMs - 1000 : onsetMs + 70 * DAY_MS),
    fingerprint: hashOf(host, isNew ? 'new' : 'usual')
      .toString(16)
      .padStart(64, '0'),
    ...{ key: 'EC 256', protocol: 'TLSv1.3', chain_length: 3, chain_bytes: 3900 },
    ...{ trusted: fault?.how !== 'untrusted', name_matches: fault?.how !== 'wrong_name' },
    ...(fault?.how === 'untrusted' ? { fault: 'self-signed certificate' } : {}),
  };
}

/** Phases before the host answers, as they usually are from a place. */
function wayPhases({ scenario, runner, test, random, onsetMs, atMs }: Run): Record<'dns' | 'connect' | 'tls', number> {
  const far = 8 + (hashOf(runner, test.target) % 30);
  const added = (phase: FaultOf<'phase'>['phase']): number =>
    hostOf(test.target) === scenario.estate.host
      ? activeFaults(scenario, 'phase', atMs - onsetMs)
          .filter((one) => one.phase === phase)
          .reduce((sum, { addMs }) => sum + addMs, 0)
      : 0;
  return {
    dns: durationAround(random, 6) + added('dns'),
    connect: durationAround(random, far) + added('connect'),
    tls: durationAround(random, far * 1.6) + added('tls'),
  };
}

const EARLY: readonly RunFault[] = ['name_not_found', 'name_unresolved'];
const CERTIFICATE_WORDS = {
  expired: 'the certificate has expired',
  untrusted: 'self-signed certificate',
  wrong_name: 'the certificate is for other names',
} as const;

/** What ends a run before the host has answered. */
function findEarlyEnd(run: Run): Pick<SimulatedRun, 'fault' | 'error'> | undefined {
  const { scenario, runner, random, onsetMs, atMs } = run;
  if (!isOfHost(run)) return random.next() < USUAL_FAILURES ? { fault: 'timeout', error: 'no answer within 10 s' } : undefined;
  const sinceMs = atMs - onsetMs;
  for (const { fault, error, share, runners } of activeFaults(scenario, 'way', sinceMs))
    if ((runners?.includes(runner) ?? true) && random.next() < share) return { fault, error };
  const [certificate] = activeFaults(scenario, 'certificate', sinceMs);
  if (certificate) return { fault: 'certificate', error: CERTIFICATE_WORDS[certificate.how] };
  return random.next() < USUAL_FAILURES ? { fault: 'timeout', error: 'no answer within 10 s' } : undefined;
}

function playRun(run: Run): SimulatedRun {
  const { scenario, test, runner, random, onsetMs, atMs } = run;
  const way = wayPhases(run);
  const sum = (phases: SimulatedRun['phases']): number => Object.values(phases).reduce((total, ms) => total + ms, 0);
  const about = { test: test.name, runner, startedAtMs: atMs, certificate: certificateOf(run) };
  const end = findEarlyEnd(run);
  if (end?.fault !== undefined) {
    const phases = EARLY.includes(end.fault)
      ? { dns: way.dns }
      : end.fault === 'certificate'
        ? way
        : { dns: way.dns, connect: way.connect };
    const certificate = end.fault === 'certificate' ? about.certificate : undefined;
    return { ...about, ...end, success: false, phases, totalMs: sum(phases), certificate };
  }
  const answer = isOfHost(run) ? askHost(scenario, { onsetMs, atMs, random }) : { ms: durationAround(random, 90), failed: false };
  const phases = { ...way, first_byte: answer.ms, transfer: durationAround(random, 12) };
  const totalMs = sum(phases);
  const isLate = totalMs > test.limitMs;
  const fault = answer.failed || isLate ? 'assertion' : undefined;
  const error = answer.failed
    ? 'status 503, wanted 200'
    : isLate
      ? `total ${Math.round(totalMs)} ms, wanted under ${test.limitMs} ms`
      : undefined;
  return { ...about, success: fault === undefined, fault, error, phases, totalMs };
}

/** Runs that begin in a stretch of time, in order. */
export function runsOf(
  scenario: Scenario,
  { onsetMs, fromMs, toMs }: { onsetMs: number; fromMs: number; toMs: number },
): SimulatedRun[] {
  const runs: SimulatedRun[] = [];
  for (const test of scenario.estate.tests)
    for (const runner of test.runners) {
      const offsetMs = hashOf('offset', scenario.seed, test.name, runner) % MINUTE_MS;
      const first = Math.ceil((fromMs - offsetMs) / MINUTE_MS) * MINUTE_MS + offsetMs;
      for (let atMs = first; atMs < toMs; atMs += MINUTE_MS) {
        const random = createRandom(hashOf('run', scenario.seed, test.name, runner, atMs));
        runs.push(playRun({ scenario, test, runner, onsetMs, atMs, random }));
      }
    }
  return runs.sort((a, b) => a.startedAtMs - b.startedAtMs);
}
