import type { Page } from '@playwright/test';
import { waitForPage } from './read-page.ts';
import { settleInbound } from './settle-inbound.ts';
import { settleIncident } from './settle-incident.ts';
import { settleVisits } from './settle-visits.ts';
import { settleWebhook } from './settle-webhook.ts';

/** One page of the console as a person finds it. */
export interface Place {
  /** As the router has it, such as /fleet/$id. */
  route: string;
  /** An address of it. */
  path: string;
  /** Searches of the address under which it looks different. */
  views: readonly string[];
  /** The page that it is entered from. */
  origin: string;
  /** What the palette is asked for it; undefined where the palette does not lead there. */
  wanted: string | undefined;
}

export interface RouteOfPage {
  path: string;
  views: readonly string[];
  /** In the navigation of somebody who may do everything. */
  isListed: boolean;
}

/** The paths of the router that runs in the page, which keeps itself there for its devtools, and the searches that change a page's look. */
export async function readRoutes(page: Page): Promise<RouteOfPage[]> {
  const routes = await page.evaluate(() => {
    interface Route {
      options: { staticData?: { page?: { views?: string[]; group?: string } } };
    }
    const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__?: { routesByPath: Record<string, Route> } };
    // What is neither a page nor the landing is a former address that leads on.
    return Object.entries(router?.routesByPath ?? {}).flatMap(([path, { options }]) => {
      const facts = options.staticData?.page;
      return facts || path === '/' ? [{ path, views: facts?.views ?? [], isListed: facts?.group !== undefined }] : [];
    });
  });
  if (routes.length === 0) throw new Error('The router left no routes in the page.');
  return routes;
}

interface LinkOnPage {
  path: string;
  text: string;
  place: 'navigation' | 'main' | 'elsewhere';
}

const readLinks = (page: Page): Promise<LinkOnPage[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('a[href]')].map((link) => ({
      path: new URL(link.getAttribute('href') ?? '', location.href).pathname,
      text: link.querySelector('.word')?.textContent ?? link.textContent ?? '',
      place: link.closest('nav[aria-label=Pages]') ? 'navigation' : link.closest('main') ? 'main' : 'elsewhere',
    })),
  );

const matches = (route: string, path: string): boolean =>
  new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+').replaceAll('*', '.*')}$`).test(path);

const OTHER_PAGE = '/settings';

/** Found on the page above alone: the palette looks for neither apps nor webhooks. */
const NOT_IN_PALETTE = ['/rum/$app', '/change-webhooks/$id', '/notify/inbound/$id'];

/** Every route of the router with an address of it; those with a parameter take it from a link on the page above. */
export async function findPlaces(page: Page, url: string): Promise<Place[]> {
  await page.goto(`${url}/fleet`);
  await waitForPage(page, { path: '/fleet' });
  const routes = await readRoutes(page);
  await settleIncident(page, url);
  await settleVisits(page, url);
  await settleWebhook(page, url);
  await settleInbound(page, url);
  const labels = new Map(
    (await readLinks(page)).filter(({ place }) => place === 'navigation').map(({ path, text }) => [path, text]),
  );
  const places: Place[] = [];
  for (const { path: route, views } of routes) {
    if (!route.includes('$')) {
      const origin = route === '/fleet' || route === '/' ? OTHER_PAGE : '/fleet';
      places.push({ route, path: route, views, origin, wanted: labels.get(route) });
      continue;
    }
    const origin = route.slice(0, route.indexOf('/$'));
    await page.goto(`${url}${origin}`);
    await waitForPage(page, { path: origin });
    const link = (await readLinks(page)).find(({ path, place }) => place === 'main' && matches(route, path));
    if (!link) throw new Error(`No link on ${origin} leads to ${route}: the crawler cannot walk it.`);
    const id = link.path.slice(link.path.lastIndexOf('/') + 1);
    const wanted = /^[0-9a-f]{32}$/.test(id) ? id : link.text;
    places.push({ route, path: link.path, views, origin, wanted: NOT_IN_PALETTE.includes(route) ? undefined : wanted });
  }
  return places;
}
