import type { FieldOrigin, OneProposal, ProposalAuthor } from '@svc/contracts/proposals/proposal';
import type { Test } from '@svc/contracts/tests/test';
import { capital } from '../../../ui/words/capital.ts';
import { formatMs } from '../../../ui/words/format.ts';
import { formOf, type TestForm } from './test-form.ts';

/** A proposal as the drawer shows it: what each of its fields is called and where it comes from. */

const WORDS: Readonly<Record<string, string>> = {
  ...{ name: 'Name', type: 'Type', target: 'Target', interval_seconds: 'Every', timeout_seconds: 'Gives up after' },
  ...{ runners: 'Runners', fail_when: 'Runners that must fail', failing_after: 'Failing runs in a row' },
};

/** "Body contains" of `params.assertions.body_contains`. */
const wordOf = (path: string): string =>
  WORDS[path.split('.')[0] ?? ''] ?? capital((path.split('.').at(-1) ?? path).replaceAll('_', ' '));

const LAST: Readonly<Record<FieldOrigin, number>> = { asked: 0, inferred: 1, default: 2 };

export interface FieldLine {
  path: string;
  word: string;
  origin: FieldOrigin;
  why: string | undefined;
}

/** What was asked for first; of the usual values the few that every test has, since the form below shows the others. */
export function fieldLines({ fields, reasons }: OneProposal): FieldLine[] {
  return Object.entries(fields)
    .filter(
      ([path, origin]) => origin !== 'default' || ['interval_seconds', 'runners.mode', 'params.assertions.status'].includes(path),
    )
    .map(([path, origin]) => ({ path, word: wordOf(path), origin, why: reasons[path] }))
    .sort((a, b) => LAST[a.origin] - LAST[b.origin]);
}

export const authorWords = (author: ProposalAuthor): string =>
  author === 'model' ? 'Written by the model.' : 'Written by rules.';

/** What tells one choice from the others: its type, its target, and the time from which on it fails. */
export function describeChoice({ test }: OneProposal): string {
  const { assertions } = test.params as { assertions?: { total_ms?: number; rtt_avg_ms?: number } };
  const bound = assertions?.total_ms ?? assertions?.rtt_avg_ms;
  return `${test.type} ${test.target}${bound === undefined ? '' : `, fails above ${formatMs(bound)}`}`;
}

/** The form with a proposal in it; what it says of who made a test is not there yet. */
export const formOfProposal = ({ test }: OneProposal): TestForm => formOf(test as unknown as Test);
