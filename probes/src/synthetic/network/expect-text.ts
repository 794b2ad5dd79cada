import { checkMatch, note, shown } from '../checks/assert.ts';
import { matchExpression } from '../checks/expression.ts';
import { excerptOf } from '../http/read-body.ts';
import type { Run } from '../run.ts';
import { cut } from '../run-failure.ts';

export interface Expected {
  readonly expect_contains?: string | undefined;
  readonly expect_matches?: string | undefined;
}

export const expectsText = ({ expect_contains, expect_matches }: Expected): boolean =>
  expect_contains !== undefined || expect_matches !== undefined;

export const isThere = (text: string, { expect_contains, expect_matches }: Expected): boolean =>
  (expect_contains === undefined || text.includes(expect_contains)) &&
  (expect_matches === undefined || matchExpression(expect_matches, text).found);

/** What came back, without secrets; as evidence, too. What is not `isWhole` may end within a secret. */
export function textOfReply(run: Run, bytes: Buffer, isWhole = true): string {
  const { redact, redactCut } = run.redactor;
  const text = (isWhole ? redact : redactCut)(bytes.toString('utf8'));
  if (bytes.length > 0) run.evidence.body_excerpt = cut(excerptOf(text, bytes.length), 4096);
  return text;
}

export function checkText(run: Run, text: string, { expect_contains, expect_matches }: Expected): void {
  if (expect_contains !== undefined) {
    const passed = text.includes(expect_contains);
    const got = passed ? 'it is there' : text === '' ? 'nothing came' : shown(text, 120);
    note(run, { rule: 'expect_contains', wanted: `answer contains ${shown(expect_contains)}`, got, passed });
  }
  if (expect_matches !== undefined) checkMatch(run, 'expect_matches', { pattern: expect_matches, text, what: 'answer' });
}
