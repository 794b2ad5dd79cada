import { createContext, Script } from 'node:vm';
import { AppError } from '#kernel';
import type { Maps } from '#telemetry';
import type { Matcher } from '../api.ts';
import { badPattern } from '../matchers.ts';

/** Of all patterns of one question: RE2 is linear, JavaScript's patterns can take for ever and hold the event loop meanwhile. */
const MAX_PATTERN_MS = 100;
const TRY = new Script('values.map((value) => pattern.test(value))');

type Test = (values: readonly string[]) => boolean[];

/** As RE2 with its dot over line ends, of the whole value; `unavailable` when trying it takes too long. */
function testPattern(text: string, budget: { ms: number }): Test {
  const pattern = patternOf(text);
  const scope: { pattern: RegExp; values: readonly string[] } = { pattern, values: [] };
  const context = createContext(scope);
  return (values) => {
    scope.values = values;
    const began = performance.now();
    try {
      return TRY.runInContext(context, { timeout: Math.max(1, Math.round(budget.ms)) });
    } catch (cause) {
      throw new AppError('unavailable', 'A pattern takes too long to search for: write it simpler.', { cause });
    } finally {
      budget.ms -= performance.now() - began;
    }
  };
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(`^(?:${text})$`, 'su');
  } catch {
    throw badPattern(text);
  }
}

/** Which of the rows have labels that answer to all matchers; a label that a row does not have is the empty text. */
export function labelFilter(matchers: readonly Matcher[]): (labels: Maps, rows: ArrayLike<number>) => number[] {
  const budget = { ms: MAX_PATTERN_MS };
  const conditions = matchers.map(({ label, op, values }) => {
    const wanted = new Set(values);
    const not = op === '!=' || op === '!~';
    const test: Test =
      op === '=~' || op === '!~' ? testPattern(values[0] ?? '', budget) : (asked) => asked.map((value) => wanted.has(value));
    const known = new Map<string, boolean>();
    return (labels: Maps, rows: readonly number[]): number[] => {
      const found = rows.map((row) => labels.find(row, label) ?? '');
      const fresh = [...new Set(found)].filter((value) => !known.has(value));
      const answers = fresh.length > 0 ? test(fresh) : [];
      for (const [i, value] of fresh.entries()) known.set(value, answers[i] === true);
      return rows.filter((_, i) => known.get(found[i] as string) !== not);
    };
  });
  return (labels, rows) => conditions.reduce((left, keep) => keep(labels, left), Array.from(rows));
}
