import type { SessionPhaseName } from '@svc/contracts/endpoint/session-phases';
import { joinWords } from '../words/format.ts';

/** The phases of a session as they are drawn, in their order. */
export const PHASE_NAMES: Readonly<Record<SessionPhaseName, string>> = {
  dns: 'DNS',
  connect: 'Connect',
  tls: 'TLS',
  ttfb: 'First byte',
  other: 'Other',
};

const FAILED_AT: Readonly<Record<string, string>> = {
  dns: 'DNS',
  connect: 'connect',
  proxy: 'the proxy',
  tls: 'TLS',
  request: 'the request',
  body: 'the body',
  redirect: 'a redirect',
};

/** "at TLS"; '' for a failure whose phase nobody knows. */
export const failedAt = (phase: string | null): string => (phase === null ? '' : `at ${FAILED_AT[phase] ?? phase}`);

interface Failures {
  failed: number;
  of: number;
  phases: readonly { phase: string | null; count: number }[];
}

/** "3 of 12 failed at TLS", or with the count of each phase where there are several; '' where none failed. */
export function describeFailures({ failed, of, phases }: Failures): string {
  if (failed === 0) return '';
  const all = `${failed} of ${of} failed`;
  const named = phases.filter(({ phase }) => phase !== null);
  const [first] = named;
  if (!first) return all;
  if (named.length === 1 && first.count === failed) return `${all} ${failedAt(first.phase)}`;
  return `${all}, ${joinWords(named.map(({ phase, count }) => `${count} ${failedAt(phase)}`))}`;
}
