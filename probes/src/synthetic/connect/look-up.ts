import dns from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { codeOf } from '../../session-failure.ts';
import { RunFailure, waitOn } from '../run-failure.ts';

const HOSTS_FILE = '/etc/hosts';
/** How long the hosts file, the interfaces and the configuration of name servers are believed. */
const BELIEVED_MS = 5000;
/** Head start of the other family's answer once one is there (RFC 8305). */
const RESOLUTION_DELAY_MS = 50;
const MAX_ADDRESSES = 16;
/** The run's own limit comes first as a rule. */
const QUERY = { timeout: 2000, tries: 3 } as const;

export interface LookUp {
  readonly host: string;
  /** 0: both. */
  readonly family: 0 | 4 | 6;
  readonly resolvers?: readonly string[];
}

interface Believed<Value> {
  readonly at: number;
  readonly value: Value;
}
const believed = <Value>(read: () => Value): (() => Value) => {
  let last: Believed<Value> | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at > BELIEVED_MS) last = { at, value: read() };
    return last.value;
  };
};

function readHosts(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  try {
    // What is larger is no list that a person keeps.
    if (statSync(HOSTS_FILE).size > 4_000_000) return found;
    for (const line of readFileSync(HOSTS_FILE, 'utf8').split('\n')) {
      const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
      if (net.isIP(address) === 0) continue;
      for (const name of names) found.set(name.toLowerCase(), [...(found.get(name.toLowerCase()) ?? []), address]);
    }
  } catch {
    // Without one there are no such names.
  }
  return found;
}
const hosts = believed(readHosts);

/** As getaddrinfo has it by AI_ADDRCONFIG: without an address of its own nobody asks for IPv6. */
const speaksIpv6 = believed((): boolean =>
  Object.values(os.networkInterfaces()).some((list) =>
    list?.some(({ family, internal, address }) => family === 'IPv6' && !internal && !address.startsWith('fe80')),
  ),
);

const isOf = (family: 0 | 4 | 6) => (address: string) => family === 0 || net.isIP(address) === family;
const own = believed(() => new dns.Resolver(QUERY));

function resolverFor(servers: readonly string[] | undefined): dns.Resolver {
  if (!servers) return own();
  const resolver = new dns.Resolver(QUERY);
  resolver.setServers([...servers]);
  return resolver;
}

const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME']);

/** Both families at once; what the slower one says counts while it comes soon after. Throws the better of two reasons. */
async function query({ host, family, resolvers }: LookUp): Promise<string[]> {
  const resolver = resolverFor(resolvers);
  const v4 = family === 6 ? undefined : resolver.resolve4(host);
  const v6 = family === 6 || (family === 0 && speaksIpv6()) ? resolver.resolve6(host) : undefined;
  const settled: string[][] = [];
  const asked = [v6, v4].flatMap((one, index) =>
    one
      ? [
          one.then((found) => {
            settled[index] = found;
          }),
        ]
      : [],
  );
  let timer: NodeJS.Timeout | undefined;
  const soon = Promise.any(asked).then(
    () =>
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, RESOLUTION_DELAY_MS);
      }),
    () => undefined,
  );
  const all = Promise.allSettled(asked);
  await Promise.race([all, soon]);
  clearTimeout(timer);
  const found = interleave(settled[0] ?? [], settled[1] ?? []);
  if (found.length > 0) return found;
  const reasons = (await all).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  throw (
    reasons.find((reason) => !NOT_THERE.has(codeOf(reason))) ??
    reasons[0] ??
    Object.assign(new Error('no address'), { code: 'ENODATA' })
  );
}

const interleave = (first: readonly string[], second: readonly string[]): string[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((address) => address !== undefined);

async function askSystem(host: string, family: 0 | 4 | 6): Promise<string[]> {
  const found = await dns.lookup(host, { all: true, family, order: 'verbatim' });
  return found.map(({ address }) => address);
}

/**
 * The hosts file, then the name servers directly: the system's call holds one of a handful of threads as long as it waits, so that a few
 * silent name servers would make every other test late. It is asked where they do not know the name, as it knows search lists and more.
 */
async function find(lookUp: LookUp): Promise<string[]> {
  const { host, family, resolvers } = lookUp;
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return ['::1', '127.0.0.1'].filter(isOf(family));
  if (resolvers) return await query(lookUp);
  if (process.platform !== 'linux') return await askSystem(host, family);
  const listed = hosts().get(name)?.filter(isOf(family));
  if (listed && listed.length > 0) return listed;
  if (!name.includes('.')) return await askSystem(host, family);
  try {
    return await query(lookUp);
  } catch (error) {
    if (!NOT_THERE.has(codeOf(error)) || host.endsWith('.')) throw error;
    return await askSystem(host, family);
  }
}

/** Addresses to try, in their order, at most 16. Throws a RunFailure; rejects with the signal's reason when it aborts. */
export async function lookUp(asked: LookUp, signal: AbortSignal): Promise<string[]> {
  try {
    const found = await waitOn<string[]>(signal, ({ done, fail }) => {
      find(asked).then(done, fail);
      return () => undefined;
    });
    return found.slice(0, MAX_ADDRESSES);
  } catch (error) {
    if (signal.aborted) throw error;
    const code = codeOf(error);
    const host = asked.host.slice(0, 253);
    const which = asked.family === 0 ? '' : ` of IPv${asked.family}`;
    if (NOT_THERE.has(code))
      throw new RunFailure('name_not_found', `${host} has no address${which}: the name servers say that there is none.`);
    throw new RunFailure('name_unresolved', `No name server gave an answer for ${host} (${code}).`);
  }
}
