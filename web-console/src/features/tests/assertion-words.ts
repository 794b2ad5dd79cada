import type { Assertion, RunFault } from '@svc/contracts/tests/run-report';

/** With these nothing was measured: not run, never failed. The console's own copy, since the contract's list stands in a file with zod. */
const NOT_RUN = { target_refused: true, not_capable: true, secret: true, internal: true } as const satisfies Partial<
  Record<RunFault, true>
>;

export const isNotRun = (fault: RunFault | null | undefined): boolean => fault != null && Object.hasOwn(NOT_RUN, fault);

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Rules whose wanted value stands alone, with what it is of. */
const SUBJECTS: Readonly<Record<string, string>> = { status: 'Status is', code: 'Code is', authenticated: 'Answer is' };

/** "Status is 2xx", "Total within 2000 ms": an assertion as a line of a list. */
export function assertionWords({ rule, wanted }: Pick<Assertion, 'rule' | 'wanted'>): string {
  const subject = SUBJECTS[rule];
  if (subject) return wanted.toLowerCase().startsWith(subject.toLowerCase()) ? wanted : `${subject} ${wanted}`;
  return capital(rule === 'total_ms' ? wanted.replace(/^all /, 'total ') : wanted);
}
