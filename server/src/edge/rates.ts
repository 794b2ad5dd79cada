import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { networkOf } from '#kernel';
import { type Callers, createCallers, UNBOUNDED } from './callers.ts';
import { createKnownCredentials, digestOf, type KnownCredentials, readAuthorization } from './credentials.ts';
import { demand, perMinute, type RateCounter } from './rate-counter.ts';

/**
 * Which budget a route's requests are taken from. `address` (also where a route names none): the address's, `pages`: the address's for
 * pages and files, a number: a budget of the route's own for each address, `principal`: the route asks `Callers`, `none`: nobody's.
 */
export type RouteRate = 'address' | 'pages' | 'principal' | 'none' | { perMinute: number };

declare module 'fastify' {
  interface FastifyContextConfig {
    rate?: RouteRate;
  }
}

/** Of a principal's budget: an address's for pages, which have many small files. */
export const PAGES_FACTOR = 10;
/** What strangers of all addresses together may take of pages beyond what each address may take in any case: once the principal's budget. */
const PAGES_TOTAL_FACTOR = 20;
/** Cookies of a request that are looked at for a session. */
const MOST_COOKIES = 8;

/** Budgets of pages. Whoever comes with a credential that was valid has one of their own, whatever strangers take. */
function createPages(ratePerMinute: number, known: KnownCredentials) {
  const max = ratePerMinute * PAGES_FACTOR;
  const together = ratePerMinute * PAGES_TOTAL_FACTOR;
  const [pages, ensured, everybody] = [perMinute(max), perMinute(ratePerMinute), perMinute(together)];
  const findKnown = ({ headers }: FastifyRequest): string | undefined => {
    const cookies = headers.cookie?.split(';', MOST_COOKIES).map((one) => one.trim()) ?? [];
    const given = headers.authorization === undefined ? cookies : [readAuthorization(headers.authorization), ...cookies];
    return given.map(digestOf).find((digest) => known.find(digest) !== undefined);
  };
  return (request: FastifyRequest): void => {
    const known = findKnown(request);
    const network = networkOf(request.ip);
    demand(pages.take(known ?? network), max, known === undefined ? 'from this address' : 'with this credential');
    // Those who take little are let in while others take all that there is.
    if (known !== undefined || ensured.take(network) === 0) return;
    demand(everybody.take('everybody'), together, 'from all addresses together without a valid credential');
  };
}

export interface RoutedRate {
  method: string;
  url: string;
  rate: RouteRate;
}

/** Bounds every route of `app` that is added from now on, before a body is read; 0 a minute disables all but routes' own numbers. */
export function mountRates(
  app: FastifyInstance,
  ratePerMinute: number,
): { callers: Callers; routes: () => readonly RoutedRate[] } {
  const added: RouteOptions[] = [];
  const own = new Map<string, RateCounter>();
  const known = createKnownCredentials();
  const [addresses, takePage] = [perMinute(ratePerMinute), createPages(ratePerMinute, known)];
  // A scope's own hook may still set the rate of a route: it is read later.
  app.addHook('onRoute', (route) => void added.push(route));
  const routes = (): RoutedRate[] =>
    added.flatMap(({ method, url, config }) =>
      [method].flat().map((one) => ({ method: one, url, rate: config?.rate ?? 'address' })),
    );
  app.addHook('onRequest', async (request) => {
    const { ip, routeOptions } = request;
    const rate = routeOptions.config?.rate ?? 'address';
    if (rate === 'none' || rate === 'principal') return;
    const network = networkOf(ip);
    const whose = 'from this address';
    if (typeof rate === 'object') {
      const key = routeOptions.url ?? '';
      const counter = own.get(key) ?? perMinute(rate.perMinute);
      own.set(key, counter);
      demand(counter.take(network), rate.perMinute, whose);
    } else if (ratePerMinute > 0) {
      if (rate === 'pages') takePage(request);
      else demand(addresses.take(network), ratePerMinute, whose);
    }
  });
  return { callers: ratePerMinute > 0 ? createCallers(ratePerMinute, known) : UNBOUNDED, routes };
}
