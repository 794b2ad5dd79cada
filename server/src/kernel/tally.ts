/** More tenants than these are counted together: each is a series of every metric that tells of it. */
const MAX_TENANTS = 200;

export interface TallyEntry<Word extends string> {
  /** Undefined: of all tenants beyond the bound together. */
  tenant: string | undefined;
  word: Word;
  count: number;
}

/** Counts since the start of this process, by tenant and a word of a closed list. */
export interface Tally<Word extends string> {
  add(tenant: string, word: Word, count?: number): void;
  read(): TallyEntry<Word>[];
}

export function createTally<Word extends string>(): Tally<Word> {
  const tenants = new Map<string | undefined, Map<Word, number>>();
  const countsOf = (tenant: string): Map<Word, number> => {
    const name = tenants.has(tenant) || tenants.size < MAX_TENANTS ? tenant : undefined;
    const counts = tenants.get(name) ?? new Map<Word, number>();
    tenants.set(name, counts);
    return counts;
  };
  return {
    add(tenant, word, count = 1) {
      if (count === 0) return;
      const counts = countsOf(tenant);
      counts.set(word, (counts.get(word) ?? 0) + count);
    },
    read: () => [...tenants].flatMap(([tenant, counts]) => [...counts].map(([word, count]) => ({ tenant, word, count }))),
  };
}
