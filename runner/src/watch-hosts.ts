import { setTimeout as sleep } from 'node:timers/promises';
import { resolveAll } from './resolve-all.ts';

const EVERY_MS = 60_000;
/** While one of them was never found. */
const UNKNOWN_EVERY_MS = 5000;
/** The first answers are waited for so long: name servers that are silent must not keep all tests from running. */
const FIRST_MS = 10_000;

export interface WatchHostsOptions {
  everyMs?: number;
  unknownEveryMs?: number;
  /** Addresses of hosts; a parameter for tests. */
  resolve?: typeof resolveAll;
}

/**
 * The addresses of hosts, looked up again and again for as long as the process lives. What was found once stays: one that cannot be resolved now
 * may still be there. Resolves after the first look-up.
 */
export async function watchHosts(
  hosts: readonly string[],
  { everyMs = EVERY_MS, unknownEveryMs = UNKNOWN_EVERY_MS, resolve = resolveAll }: WatchHostsOptions = {},
): Promise<() => readonly string[]> {
  const known = new Map<string, readonly string[]>(hosts.map((host) => [host, []]));
  let all: readonly string[] = [];
  const find = async (): Promise<void> => {
    await Promise.all(
      hosts.map(async (host) => {
        const found = (await resolve([host])).map((address) => address.replace(/%.*/, ''));
        known.set(host, [...new Set([...(known.get(host) ?? []), ...found])]);
        all = [...new Set([...known.values()].flat())];
      }),
    );
  };
  const goOn = async (): Promise<void> => {
    for (;;) {
      const isUnknown = [...known.values()].some(({ length }) => length === 0);
      await sleep(isUnknown ? unknownEveryMs : everyMs, undefined, { ref: false });
      await find();
    }
  };
  if (hosts.length === 0) return () => all;
  const first = find();
  void first.then(goOn);
  await Promise.race([first, sleep(FIRST_MS, undefined, { ref: false })]);
  return () => all;
}
