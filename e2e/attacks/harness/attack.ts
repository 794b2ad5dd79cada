import type { Ground } from './ground.ts';

/** One thing that a hostile tenant may try, by name. */
export interface Attack {
  /** States the wanted behaviour. */
  name: string;
  /** What it attacks, in the registry's words: `trpc NAME`, `METHOD /pattern`, `grpc /service/method`, `listener KEY`, `topic NAME`. */
  surfaces: readonly string[];
  /** Short: a few seconds on the shared server, run by every `npm test`. */
  cost: 'short' | 'long';
  /** Bound of its time; default one minute. */
  limitMs?: number;
  /** Why it cannot run on this machine, in a sentence; undefined where it can. */
  whyNot?: () => string | undefined;
  /** On the shared server; an attack that kills it starts it again. */
  run(ground: Ground): Promise<void>;
}

const all: Attack[] = [];

export const attack = (one: Attack): void => {
  if (all.some(({ name }) => name === one.name)) throw new Error(`two attacks are named "${one.name}"`);
  all.push(one);
};

export const listAttacks = (): readonly Attack[] => all;
