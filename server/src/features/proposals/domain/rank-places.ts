import { DISCOVERED_AT_ONCE, DISCOVERY_SOURCES, type DiscoverySource } from '@svc/contracts/proposals/proposal';
import { canonicalHost, checkTarget } from '@svc/contracts/tests/target';
import type { TestType } from '@svc/contracts/tests/test-types';

/** What the tenant's own data show and nobody tests, by what a test of it would be worth. */

/** One thing that one plane saw. */
export interface Observation {
  source: DiscoverySource;
  /** A host, or a URL where pages are asked. */
  target: string;
  port?: number | undefined;
  /** Devices, views, calls or incidents. */
  count: number;
  /** Of them failed. */
  failed: number;
  /** Of a certificate, whole days until it ends; below 0 it has ended. */
  days?: number | undefined;
  /** The service that answers there. */
  service?: string | undefined;
}

export interface RankedPlace {
  host: string;
  type: TestType;
  target: string;
  reason: string;
  evidence: { source: DiscoverySource; sentence: string; count: number }[];
  value: string;
}

/** What each source weighs before its count: what hurts already first, what people use next. */
const WEIGHTS: Readonly<Record<DiscoverySource, number>> = {
  ...{ incident: 100, names: 80, certificate: 70, users: 60, sessions: 50, map: 30 },
};

const many = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;

const SENTENCES: Readonly<Record<DiscoverySource, (of: Observation) => string>> = {
  incident: ({ count }) => `${many(count, 'incident')} of the last 30 days, and no test saw them.`,
  names: ({ failed }) => `Its name was not resolved on ${many(failed, 'device')}.`,
  certificate: ({ days = 0 }) =>
    `A certificate for it, which a test saw elsewhere, ${days < 0 ? 'has ended' : days === 0 ? 'ends within a day' : `ends in ${many(days, 'day')}`}.`,
  users: ({ count }) => `${many(count, 'app')} of real users name${count === 1 ? 's' : ''} it.`,
  sessions: ({ count, failed }) =>
    `${many(count, 'device')} measure${count === 1 ? 's' : ''} it${failed > 0 ? `, and it fails on ${failed.toLocaleString('en-US')} of them` : ''}.`,
  map: ({ count, failed, service }) => {
    const broken = failed > 0 ? `, ${many(failed, 'call')} failed` : '';
    if (service === undefined) return `Services called it ${many(count, 'time')} within a day${broken}.`;
    return `The service ${service} answers there: ${many(count, 'call')} within a quarter of an hour${broken}.`;
  },
};

const VALUES: Readonly<Record<DiscoverySource, string>> = {
  incident: 'A test would have told when it began, and tells whether it is over.',
  names: 'A test tells whether the name resolves, apart from any device.',
  certificate: 'A test tells whether the next certificate is there too, and warns where it is not.',
  users: 'A test tells an outage before users do, and at night too.',
  sessions: 'A test tells whether the target is slow, or the way to it.',
  map: 'A test tells whether it is the service that fails, or who calls it.',
};

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
const isAddress = (host: string): boolean => host.includes(':') || /^\d+(\.\d+){3}$/.test(host);

/** A page as it is asked: who signs in, and what is asked for, are nobody's business here. */
function plainUrl(written: string): string {
  const url = URL.parse(written);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : written;
}

/** The test that fits what was seen of a host. */
function testOf(host: string, seen: readonly Observation[]): { type: TestType; target: string } {
  const web = seen.find(({ target }) => /^https?:\/\//.test(target));
  if (seen[0]?.source === 'names' && !isAddress(host)) return { type: 'dns', target: host };
  if (web) return { type: web.target.startsWith('http:') ? 'http' : 'https', target: plainUrl(web.target) };
  if (seen.some(({ source }) => source === 'users' || source === 'certificate'))
    return { type: 'https', target: `https://${bracketed(host)}/` };
  const port = seen.find((one) => one.port !== undefined)?.port;
  if (port === 443) return { type: 'https', target: `https://${bracketed(host)}/` };
  if (port !== undefined) return { type: 'tcp', target: `${bracketed(host)}:${port}` };
  return { type: 'icmp', target: host };
}

const score = ({ source, count, failed }: Observation): number =>
  WEIGHTS[source] + 6 * Math.log10(1 + count) + 10 * (failed / Math.max(1, count));

/** A network has addresses and is none. */
const isNetwork = (target: string): boolean => /^[0-9a-f.:]+\/\d{1,3}$/i.test(target);

const isHost = (host: string): boolean => checkTarget('icmp', host) === undefined && (isAddress(host) || host.includes('.'));

/** One a host, the most valuable first; the same for the same data. */
export function rankPlaces(
  observations: readonly Observation[],
  {
    tested,
    dismissed,
    most = DISCOVERED_AT_ONCE,
  }: { tested: ReadonlySet<string>; dismissed: ReadonlySet<string>; most?: number },
): { places: RankedPlace[]; dismissed: string[] } {
  const single = observations.filter(({ target }) => !isNetwork(target));
  const byHost = Map.groupBy(single, ({ target }) => canonicalHost(target));
  const open = [...byHost].filter(([host]) => isHost(host) && !tested.has(host));
  const places = open
    .filter(([host]) => !dismissed.has(host))
    .map(([host, all]) => {
      const seen = DISCOVERY_SOURCES.flatMap((source) => {
        const own = all.filter((one) => one.source === source);
        const best = own.reduce<Observation | undefined>(
          (kept, one) => (kept && kept.count >= one.count ? kept : one),
          undefined,
        );
        return best ? [best] : [];
      });
      return { host, seen, value: Math.max(...seen.map(score)) + seen.length };
    })
    .sort((a, b) => b.value - a.value || (a.host < b.host ? -1 : 1))
    .slice(0, most)
    .map(({ host, seen }): RankedPlace => {
      const evidence = seen.map((one) => ({ source: one.source, sentence: SENTENCES[one.source](one), count: one.count }));
      const first = seen[0]?.source ?? 'map';
      return { host, ...testOf(host, seen), reason: evidence[0]?.sentence ?? '', evidence, value: VALUES[first] };
    });
  return {
    places,
    dismissed: open
      .map(([host]) => host)
      .filter((host) => dismissed.has(host))
      .sort(),
  };
}
