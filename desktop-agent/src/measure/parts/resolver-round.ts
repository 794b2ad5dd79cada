import { isIP } from 'node:net';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import { compareResolvers } from '@svc/probes/resolver-lies';
import type { ProbeSet } from '../probe-set.ts';

const MAX_RESOLVERS = 4;
const MAX_NAMES = 8;
const FEWEST_QUERIES = 3;
/** As long as resolvers of operating systems wait: what comes later is lost for everybody. */
const TIMEOUT_MS = 5000;
/** Answered by this machine, or by no server in the same way. */
const LOCAL_NAME = /^localhost$|\.(localhost|local)$/;

export interface ResolverRound {
  readonly servers: readonly string[];
  /** URLs of sessions. */
  readonly urls: readonly string[];
  /** A name that is asked for where no URL has one. */
  readonly otherwise: string;
  readonly proxyFor?: (url: string) => Promise<string | null>;
  readonly signal: AbortSignal;
}

/**
 * Names that this device looks up anyway: those of its sessions, but not of what a proxy looks up for it, as inside of companies that
 * answer no outside name at all.
 */
export async function namesToAsk({ urls, otherwise, proxyFor }: Pick<ResolverRound, 'urls' | 'otherwise' | 'proxyFor'>) {
  const names = new Set<string>();
  for (const url of urls) {
    const { hostname } = new URL(url);
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || LOCAL_NAME.test(hostname)) continue;
    const proxy = await proxyFor?.(url).catch(() => null);
    if (proxy === undefined || proxy === null) names.add(hostname);
  }
  return names.size > 0 ? [...names].slice(0, MAX_NAMES) : [otherwise];
}

/** Asks each server of the system for the same names at the same time, so that their answers can be compared. */
export async function measureResolverRound(probes: ProbeSet, round: ResolverRound): Promise<ResolverMeasurement[]> {
  const names = await namesToAsk(round);
  const servers = round.servers.slice(0, MAX_RESOLVERS);
  const asked = { names, count: Math.max(FEWEST_QUERIES, names.length), timeoutMs: TIMEOUT_MS, asksInvalid: true };
  const measured = await Promise.all(servers.map((server) => probes.measureResolver({ server, ...asked, signal: round.signal })));
  return compareResolvers(measured);
}
