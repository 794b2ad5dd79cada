import { RE2JS } from 're2js';

/** Instructions of a compiled expression, and what its steps through a text may cost: half a second at the very worst. */
const MAX_SIZE = 2000;
const MAX_STEPS = 8_000_000;
const MAX_TEXT = 262_144;
const MAX_KEPT = 500;

const kept = new Map<string, RE2JS>();

function compile(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known) return known;
  const made = RE2JS.compile(pattern);
  const size = made.programSize();
  if (size > MAX_SIZE) throw new RangeError(`it is too large: ${size} steps, and ${MAX_SIZE} are the most`);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(pattern, made);
  return made;
}

/** Where RE2's own words say that it stopped: it quotes what it could not read, or all of it where something is missing at its end. */
function placeOf(pattern: string, words: string): string {
  const quoted = /: `([\s\S]*)`$/.exec(words)?.[1];
  if (quoted === undefined || quoted === '') return '';
  if (quoted === pattern) return ` at its end, after character ${pattern.length}`;
  const at = pattern.lastIndexOf(quoted);
  return at < 0 ? '' : ` at character ${at + 1}`;
}

/** A sentence that says what is wrong with an expression, and where; undefined: nothing is. */
export function checkExpression(pattern: string): string | undefined {
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    const words = error instanceof Error ? error.message : 'unreadable';
    return `This is no expression that RE2 takes (${words.slice(0, 200)})${placeOf(pattern, words)}.`;
  }
}

export interface Match {
  readonly found: boolean;
  /** Characters that were looked at, where it was not all of the text. */
  readonly lookedAt?: number;
}

/**
 * Whether the text has a match: linear in both, and bounded by looking at less of a text the larger the expression is. Throws a RangeError on
 * an expression that RE2 does not take.
 */
export function matchExpression(pattern: string, text: string): Match {
  const fault = checkExpression(pattern);
  if (fault !== undefined) throw new RangeError(fault);
  const compiled = compile(pattern);
  const most = Math.min(MAX_TEXT, Math.floor(MAX_STEPS / compiled.programSize()));
  const found = compiled.test(text.slice(0, most));
  return text.length <= most ? { found } : { found, lookedAt: most };
}
