import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** All addresses of these hosts; one that cannot be resolved has none. */
export async function resolveAll(hosts: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    hosts.map(async (host) => {
      if (isIP(host) !== 0) return [host];
      const answers = await lookup(host, { all: true }).catch(() => []);
      return answers.map(({ address }) => address);
    }),
  );
  return found.flat();
}
