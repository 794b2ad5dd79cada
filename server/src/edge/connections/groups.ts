import type { Connection } from './connection.ts';

const NONE: ReadonlySet<Connection> = new Set();

/** Sets by key that vanish when they are empty, each in the order in which its members were added. */
export class Groups {
  private readonly sets = new Map<string, Set<Connection>>();

  of(key: string | undefined): ReadonlySet<Connection> {
    return (key !== undefined && this.sets.get(key)) || NONE;
  }

  add(key: string | undefined, connection: Connection): void {
    if (key === undefined) return;
    const set = this.sets.get(key);
    if (set) set.add(connection);
    else this.sets.set(key, new Set([connection]));
  }

  delete(key: string | undefined, connection: Connection): void {
    if (key === undefined) return;
    const set = this.sets.get(key);
    if (set?.delete(connection) && set.size === 0) this.sets.delete(key);
  }

  largest(): ReadonlySet<Connection> {
    let largest = NONE;
    for (const set of this.sets.values()) if (set.size > largest.size) largest = set;
    return largest;
  }
}

/** The first of a set that is, or fulfils what is asked. */
export function first<T>(values: Iterable<T>, fits: (value: T) => boolean = () => true): T | undefined {
  for (const value of values) if (fits(value)) return value;
  return undefined;
}
