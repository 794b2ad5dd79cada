import { type Assertion, PHASES, type Phase, type RunFault } from '@svc/contracts/tests/run-report';
import { splitHostPort } from '@svc/contracts/tests/target';
import { type TestSpec, timeoutOf } from '@svc/contracts/tests/test';
import { isPage, phaseSubject, timeWords } from './words.ts';

/** Why a run failed, as the rest of "Fails ...: it ...". */

export interface FailedRun {
  fault: RunFault | undefined;
  error: string | undefined;
  phases: Partial<Record<Phase, number>>;
  totalMs: number;
  /** The first assertion that did not hold. */
  failed: Pick<Assertion, 'rule' | 'wanted' | 'got'> | undefined;
}

export interface Usual {
  totalMs: number | undefined;
  phases: Partial<Record<Phase, number>>;
}

/** A phase is slower than usual when it takes more than half as long again, and more than clocks and luck explain. */
export const isSlow = (ms: number, usualMs: number): boolean => ms > usualMs * 1.5 && ms - usualMs > 20;

/** The phase that takes more than usual, and most of what is more; without anything usual the one that takes most of the time. */
export function findSlowPhase({ phases, totalMs }: Pick<FailedRun, 'phases' | 'totalMs'>, usual: Usual): Phase | undefined {
  let found: Phase | undefined;
  let most = 0;
  for (const phase of PHASES) {
    const ms = phases[phase];
    const usually = usual.phases[phase];
    if (ms === undefined) continue;
    const more = usually === undefined ? (ms > totalMs / 2 ? ms : 0) : isSlow(ms, usually) ? ms - usually : 0;
    if (more > most) [found, most] = [phase, more];
  }
  return found;
}

const limitOf = ({ params }: TestSpec, rule: string): number | undefined => {
  const value = (params.assertions as Record<string, unknown>)[rule];
  return typeof value === 'number' ? value : undefined;
};

const PHASE_OF_RULE: Partial<Record<string, Phase>> = {
  dns_ms: 'dns',
  connect_ms: 'connect',
  tls_ms: 'tls',
  first_byte_ms: 'first_byte',
  transfer_ms: 'transfer',
};

const thing = (test: TestSpec): string => {
  if (isPage(test)) return 'the page is there';
  return test.type === 'http' || test.type === 'https' ? 'the answer is there' : 'it is done';
};

function slowWords(test: TestSpec, run: FailedRun, usual: Usual): string | undefined {
  const rule = run.failed?.rule ?? '';
  const limit = limitOf(test, rule);
  const limited = limit === undefined ? '' : ` and the limit is ${timeWords(limit)}`;
  const phase = PHASE_OF_RULE[rule];
  const ms = phase && run.phases[phase];
  if (phase && ms !== undefined) return `${phaseSubject(phase, isPage(test))} takes ${timeWords(ms)}${limited}`;
  if (rule !== 'total_ms') return undefined;
  const slow = findSlowPhase(run, usual);
  const slowMs = slow && run.phases[slow];
  if (!slow || slowMs === undefined) return `${thing(test)} after ${timeWords(run.totalMs)}${limited}`;
  return `${phaseSubject(slow, isPage(test))} takes ${timeWords(slowMs)}, so ${thing(test)} after ${timeWords(run.totalMs)}${limited}`;
}

function assertionWords(test: TestSpec, run: FailedRun, usual: Usual): string {
  const { failed } = run;
  if (!failed) return run.error ?? 'an assertion does not hold';
  const slow = slowWords(test, run, usual);
  if (slow) return slow;
  if (failed.rule === 'status') return `it answers ${failed.got}, wanted ${failed.wanted.replace(/^status (is )?/i, '')}`;
  if (failed.rule === 'certificate_days') return `its certificate is valid for ${failed.got}, wanted ${failed.wanted}`;
  return `wanted ${failed.wanted}, got ${failed.got || 'nothing'}`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** How far it came before time was up. The run's own words know it best: the phases hold the time of the one that was not done, too. */
function timeoutWords(test: TestSpec, { phases, error }: FailedRun): string {
  if (error) return lowerFirst(error);
  const within = timeWords(timeoutOf(test) * 1000);
  const reached = PHASES.filter((phase) => phases[phase] !== undefined).at(-1);
  if (reached === undefined) return `nothing answers within ${within}`;
  const next = PHASES[PHASES.indexOf(reached) + 1];
  if (next === undefined) return `it is not done within ${within}`;
  // What the test does not do is not what it waited for.
  const waited = next === 'tls' && test.type === 'http' ? 'first_byte' : next;
  return `${phaseSubject(waited, isPage(test))} is not done within ${within}`;
}

const hostOf = ({ target }: TestSpec): string => URL.parse(target)?.hostname || (splitHostPort(target)?.host ?? target);

const DNS_PORTS = { udp: 53, tcp: 53, tls: 853 } as const;

function portOf(test: TestSpec): string {
  const { target } = test;
  // A name that is asked for has no port: it is the name server's.
  if (test.type === 'dns') return String(splitHostPort(test.params.resolver ?? '')?.port ?? DNS_PORTS[test.params.transport]);
  const url = URL.parse(target);
  if (url?.host) return url.port || (url.protocol === 'http:' ? '80' : '443');
  return String(splitHostPort(target)?.port ?? '');
}

const withError = (words: string, { error }: FailedRun): string => (error ? `${words}: ${error}` : words);

/** Without a full stop at its end. */
export function causeWords(test: TestSpec, run: FailedRun, usual: Usual): string {
  const words: Partial<Record<RunFault, () => string>> = {
    assertion: () => assertionWords(test, run, usual),
    timeout: () => timeoutWords(test, run),
    name_not_found: () => `the name ${hostOf(test)} does not exist`,
    name_unresolved: () => withError(`the name ${hostOf(test)} cannot be resolved`, run),
    refused: () => `port ${portOf(test)} refuses the connection`,
    unroutable: () => `there is no route to ${hostOf(test)}`,
    no_answer: () => `${hostOf(test)} does not answer`,
    reset: () => 'the connection is reset',
    closed: () => 'the connection is closed early',
    certificate: () => withError('its certificate is not valid', run),
    tls: () => withError('the TLS handshake fails', run),
    protocol: () => withError('the answer breaks the protocol', run),
    redirect: () => withError('it redirects without an end', run),
    too_large: () => withError('the answer is too large', run),
    port_unreachable: () => `port ${portOf(test)} is unreachable`,
    crashed: () => 'the browser crashed',
  };
  return ((run.fault && words[run.fault])?.() ?? run.error ?? 'the run failed').replace(/[.\s]+$/, '');
}
