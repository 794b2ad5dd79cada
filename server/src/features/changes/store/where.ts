import { edgesOf, networksAround } from '../domain/anchor.ts';

/** Conditions on `changes c` with their values. */
export interface Where {
  values: unknown[];
  /** `?` is the place of the value; nothing where that is undefined. */
  and(condition: string, value: unknown): void;
  andPair(condition: string, values: readonly unknown[]): void;
  /** One of several; none of none. */
  andAny(conditions: readonly string[]): void;
  /** A condition for whoever puts several together. */
  part(condition: string, value: unknown): string;
  /**
   * Changes on these networks, inside of them and around them. Addresses are in an order in which what is inside of a network stands between
   * its first and its last address, and what is around it begins at one of at most 128: so an index of that order finds them, also behind
   * row-level security, which lets no operator of containment near it.
   */
  networks(networks: readonly string[]): string[];
  /** With its WHERE; '' without conditions. */
  text(): string;
}

export function createWhere(): Where {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const part = (condition: string, value: unknown): string => {
    values.push(value);
    return condition.replaceAll('?', `$${values.length}`);
  };
  const pair = (condition: string, given: readonly unknown[]): string => {
    const first = values.push(...given) - given.length;
    let at = first;
    return condition.replace(/\?/g, () => `$${++at}`);
  };
  const around = (network: string): string[] => {
    const edges = edgesOf(network);
    if (!edges) return [];
    const inside = (column: string) => pair(`(${column} >= ?::inet AND ${column} <= ?::inet)`, [edges.first, edges.last]);
    return [inside('c.address'), inside('c.network'), part('c.network = ANY (?::inet[])', networksAround(network))];
  };
  return {
    values,
    and(condition, value) {
      if (value === undefined) return;
      conditions.push(condition.includes('?') ? part(condition, value) : condition);
    },
    andPair: (condition, given) => void conditions.push(pair(condition, given)),
    andAny: (parts) => void conditions.push(parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`),
    part,
    networks: (networks) => networks.flatMap(around),
    text: () => (conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''),
  };
}
