import type { Phase } from '@svc/contracts/tests/run-report';
import type { TestType } from '@svc/contracts/tests/test-types';

/** In the order in which they happen; the console's own copy, since the contract's list stands in a file with zod. */
const WORDS = {
  dns: 'DNS',
  connect: 'Connect',
  tls: 'TLS',
  first_byte: 'First byte',
  transfer: 'Transfer',
} as const satisfies Record<Phase, string>;

export const PHASES = Object.keys(WORDS) as readonly Phase[];

/** A browser's last phase ends when the page is loaded. */
export const phaseWord = (phase: Phase, type?: TestType): string =>
  phase === 'transfer' && type === 'browser' ? 'Load' : WORDS[phase];

export type Phases = Partial<Record<Phase, number>>;

/** Those that any of the runs reached, in their order. */
export const reachedPhases = (runs: readonly { phases: Phases }[]): Phase[] =>
  PHASES.filter((phase) => runs.some(({ phases }) => phases[phase] !== undefined));
