import type { Random } from '../domain/random.ts';
import type { CallPlan, Estate, ServicePlan, SitePlan } from './scenario.ts';

/** What tenants of the corpus have: names, depths and sizes differ, and so do the parts that are there at all. */

const HOSTS = ['shop', 'portal', 'booking', 'claims', 'tickets', 'orders', 'billing', 'learning'];
const FRONTS = ['web', 'gateway', 'storefront', 'frontend'];
const MIDDLES = ['checkout', 'accounts', 'catalogue', 'pricing', 'search', 'sessions', 'stock', 'quotes'];
const DEEP = ['payments', 'ledger', 'shipping', 'ratings', 'documents', 'vouchers'];
const DATABASES = ['orders-db', 'accounts-db', 'catalogue-db', 'ledger-db'];
const PROVIDERS = ['api.pay.example', 'maps.geo.example', 'mail.post.example'];
const SITES = ['Berlin', 'Lyon', 'Oslo', 'Porto', 'Gdansk'];
export const PLACES = ['Frankfurt', 'Paris', 'Dublin'] as const;

/** Different ones of a list. */
export function pickSome<T>(random: Random, list: readonly T[], count: number): T[] {
  const rest = [...list];
  return Array.from(
    { length: Math.min(count, list.length) },
    () => rest.splice(Math.floor(random.next() * rest.length), 1)[0] as T,
  );
}

export interface Wanted {
  /** Whether anybody sends traces; so unless told. */
  traced?: boolean;
  users?: boolean;
  sites?: boolean;
  watchesEdges?: boolean;
}

/** Names of the parts that a scenario breaks. */
export interface Planned {
  estate: Estate;
  front: string;
  /** Called by the front. */
  middle: string;
  /** Called by the middle one. */
  deep: string;
  /** Called by the front as well, and never hurt by the others. */
  beside: string;
  database: string;
  provider: string;
  site: SitePlan;
}

const service = (name: string, workMs: number, calls: readonly CallPlan[] = []): ServicePlan => ({ name, workMs, calls });

function planServices(random: Random, names: Omit<Planned, 'estate' | 'site'>): ServicePlan[] {
  const { front, middle, deep, beside, database, provider } = names;
  const ask = (to: string): CallPlan => ({ to, kind: 'service' });
  return [
    service(front, random.between(8, 25), [ask(beside), ask(middle)]),
    service(middle, random.between(6, 20), [{ to: database, kind: 'database', medianMs: random.between(4, 14) }, ask(deep)]),
    service(deep, random.between(5, 18), [{ to: provider, kind: 'host', medianMs: random.between(30, 80) }]),
    service(beside, random.between(4, 12)),
  ];
}

/** An estate of its own for each scenario. */
export function planEstate(random: Random, wanted: Wanted = {}): Planned {
  const { traced = true, users = random.next() < 0.6, sites = random.next() < 0.5, watchesEdges = false } = wanted;
  const [middle = '', beside = ''] = pickSome(random, MIDDLES, 2);
  const names = {
    front: random.pick(FRONTS),
    middle,
    beside,
    deep: random.pick(DEEP),
    database: random.pick(DATABASES),
    provider: random.pick(PROVIDERS),
  };
  const host = `${random.pick(HOSTS)}-${Math.floor(random.between(10, 99))}.example`;
  const [first = '', second = ''] = pickSome(random, SITES, 2);
  const block = Math.floor(random.between(16, 220));
  const site = { name: first, gateway: `10.${block}.32.1`, devices: Math.floor(random.between(18, 40)) };
  const elsewhere = { name: second, gateway: `10.${block + 1}.64.1`, devices: 12 };
  const runners = pickSome(random, PLACES, random.next() < 0.7 ? 3 : 2);
  const other = `status-${Math.floor(random.between(10, 99))}.example`;
  return {
    ...names,
    site,
    estate: {
      host,
      services: traced ? planServices(random, names) : [],
      visitsPerMinute: random.between(8, 14),
      tests: [
        { name: `${host} home`, target: `https://${host}/`, runners, limitMs: 1500 },
        { name: 'Status page', target: `https://${other}/`, runners: runners.slice(0, 1), limitMs: 3000 },
      ],
      sites: sites ? [site, elsewhere] : [],
      users: users
        ? { app: host.split('-')[0] ?? 'app', viewsPerMinute: random.between(7, 12), renderMs: random.between(1100, 1700) }
        : undefined,
      watchesEdges,
    },
  };
}
