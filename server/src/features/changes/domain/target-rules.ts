/** A row of a webhook's table, as it is kept. */
export interface Rule {
  repository: string;
  environment: string;
  path: string;
  target: string | null;
  prefix: string | null;
}

/** What of a change its rows look at. */
export interface RuledChange {
  repository: string | null;
  environment: string | null;
  paths: readonly string[];
}

/**
 * Letters that are compared at most, for one delivery or one page of changes. A pattern can be written that compares each text as often as it is
 * long itself, with hundreds of rows and hundreds of paths; what everybody writes ends at the first letters.
 */
export const MOST_COMPARED = 20_000_000;
/** Of looking at a row at all, in letters. */
const ROW_COST = 4;

interface Effort {
  left: number;
}

/** Whether a text is what a pattern says, where `*` stands for any text; false once the effort is spent. */
export function matchesPattern(pattern: string, text: string, effort: Effort = { left: MOST_COMPARED }): boolean {
  let [at, in_, star, marked] = [0, 0, -1, 0];
  effort.left -= ROW_COST;
  while (in_ < text.length) {
    effort.left -= 1;
    if (effort.left < 0) return false;
    if (at < pattern.length && pattern[at] === '*') {
      star = at;
      marked = in_;
      at += 1;
    } else if (at < pattern.length && pattern[at] === text[in_]) {
      at += 1;
      in_ += 1;
    } else if (star >= 0) {
      at = star + 1;
      marked += 1;
      in_ = marked;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** Finds rows for changes, one after the other, until its effort is spent: from then on none fits. */
export interface RuleFinder {
  /** Place of the first row that fits; -1 for none. */
  find(change: RuledChange): number;
  isSpent(): boolean;
}

export function createRuleFinder(rules: readonly Rule[], most = MOST_COMPARED): RuleFinder {
  const effort: Effort = { left: most };
  const isSpent = (): boolean => effort.left < 0;
  const fits = (pattern: string, text: string | null): boolean =>
    pattern === '' || (text !== null && matchesPattern(pattern, text, effort));
  const patterns = rules.map(({ repository, environment, path }) => ({
    ...{ repository: repository.toLowerCase(), environment: environment.toLowerCase() },
    // A path pattern is the beginning of a path.
    path: path === '' ? '' : `${path}*`,
  }));
  return {
    find({ repository, environment, paths }) {
      const [name, place] = [repository?.toLowerCase() ?? null, environment?.toLowerCase() ?? null];
      const at = patterns.findIndex((row) => {
        if (isSpent()) return true;
        if (!fits(row.repository, name) || !fits(row.environment, place)) return false;
        return row.path === '' || paths.some((path) => !isSpent() && matchesPattern(row.path, path, effort));
      });
      return isSpent() ? -1 : at;
    },
    isSpent,
  };
}
