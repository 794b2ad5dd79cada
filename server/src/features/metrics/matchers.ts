import { AppError } from '#kernel';
import type { Matcher } from './api.ts';

// What JavaScript takes and RE2 does not: look-around and back-references.
const NOT_RE2 = /\(\?<?[=!]|\\[1-9]|\\k</;

const badPattern = (pattern: string): AppError =>
  new AppError('validation', `Not a pattern that can be searched for: ${pattern.slice(0, 100)}`);

function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern, 'u');
  } catch {
    throw badPattern(pattern);
  }
  if (NOT_RE2.test(pattern)) throw badPattern(pattern);
}

/** `validation` for conditions that cannot be asked. */
export function checkMatchers(matchers: readonly Matcher[]): void {
  for (const { label, op, values } of matchers) {
    if (op !== 'in' && values.length !== 1) throw new AppError('validation', `The condition on ${label} takes one value.`);
    if (op === '=~' || op === '!~') for (const value of values) checkPattern(value);
  }
}
