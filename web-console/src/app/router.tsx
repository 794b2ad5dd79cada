import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { auditPage } from '../features/audit/page.ts';
import { changesPage, webhookPage, webhooksPage } from '../features/changes/page.ts';
import { devicePage } from '../features/endpoint/device/page.ts';
import { firstRunPage, fleetPage } from '../features/endpoint/fleet/page.ts';
import { peoplePage } from '../features/identity/page.ts';
import { incidentPage, incidentsPage } from '../features/incidents/page.ts';
import { logsPage } from '../features/logs/page.ts';
import { metricsPage } from '../features/metrics/page.ts';
import { outboxPage } from '../features/notify/outbox/page.ts';
import { notifyPage } from '../features/notify/page.ts';
import { inboundPage, inboundWebhookPage } from '../features/notify-inbound/page.ts';
import { notifyRulesPage } from '../features/notify-rules/page.ts';
import { telemetryInPage } from '../features/otlp/page.ts';
import { rumAppPage, rumHostPage, rumPage } from '../features/rum/page.ts';
import { runnersPage } from '../features/runners/page.ts';
import { settingsPage } from '../features/settings/page.ts';
import { testsPage } from '../features/tests/list/page.ts';
import { testPage } from '../features/tests/test/page.ts';
import { unwatchedPage } from '../features/tests/unwatched/page.ts';
import { mapPage } from '../features/topology/page.ts';
import { tracePage, tracesPage } from '../features/traces/page.ts';
import { keepRange } from '../ui/address/keep-range.ts';
import { knownSearch } from '../ui/address/known-search.ts';
import { parseSearch, stringifySearch } from '../ui/address/search-params.ts';
import type { TimeRule } from '../ui/address/time-range.ts';
import { loadChunk } from '../ui/lost-chunk/load-chunk.ts';
import type { Page, PageFacts } from '../ui/page/page.ts';
import { NotFoundPage, RouteErrorPage, ShellErrorPage } from './error-pages.tsx';
import { Landing } from './landing.tsx';
import { Shell } from './shell.tsx';

interface RouterContext {
  queryClient: QueryClient;
  /** The address that the console was opened with, before its page took out what it does not know. */
  opened: Record<string, unknown>;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: ShellErrorPage,
});

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Landing,
});

/** The route of a page: its code is loaded when it is opened, and found again after an upgrade. */
const routeOf = <const Path extends string, Search extends object>(page: Page<Path, Search>) => {
  const { path, search, range, carriesRange, usual, load, ...facts } = page;
  // A page says that it has a range or carries one, so its search has one too: the types do not know.
  const middlewares = (range?.usual || carriesRange ? [keepRange(range)] : []) as never[];
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: knownSearch(search),
    search: { middlewares },
    staticData: { page: facts, ...(range ? { range } : {}), ...(usual ? { usual } : {}) },
    component: lazyRouteComponent(loadChunk(() => load().then((component) => ({ default: component })))),
  });
};

/** An address that a page had before: what people kept of it leads on, with what it asked for. */
const formerRoute = <const Path extends string>(path: Path, to: '/identity' | '/topology' | '/otlp') =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: ({ search }) => {
      throw redirect({ to, search: search as never, replace: true });
    },
  });

/** Every page, in the order of navigation and palette. */
const routeTree = root.addChildren([
  index,
  routeOf(fleetPage),
  routeOf(devicePage),
  routeOf(firstRunPage),
  routeOf(testsPage),
  routeOf(unwatchedPage),
  routeOf(testPage),
  routeOf(rumPage),
  routeOf(rumAppPage),
  routeOf(rumHostPage),
  routeOf(incidentsPage),
  routeOf(incidentPage),
  routeOf(changesPage),
  routeOf(tracesPage),
  routeOf(tracePage),
  routeOf(logsPage),
  routeOf(metricsPage),
  routeOf(mapPage),
  routeOf(runnersPage),
  routeOf(notifyPage),
  routeOf(notifyRulesPage),
  routeOf(outboxPage),
  routeOf(inboundPage),
  routeOf(inboundWebhookPage),
  routeOf(telemetryInPage),
  routeOf(webhooksPage),
  routeOf(webhookPage),
  routeOf(auditPage),
  routeOf(peoplePage),
  routeOf(settingsPage),
  formerRoute('/people', '/identity'),
  formerRoute('/map', '/topology'),
  formerRoute('/connectors', '/otlp'),
]);

/** The console's routes; every page but the shell is loaded when it is opened. `history`: another one than the browser's, for tests. */
export const createConsoleRouter = (context: RouterContext, history?: RouterHistory) =>
  createRouter({
    routeTree,
    context,
    ...(history ? { history } : {}),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: RouteErrorPage,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
  interface StaticDataRouteOption {
    page?: PageFacts;
    /** The time range of a page, which the top bar then offers. */
    range?: TimeRule;
    /** Values of the address that mean the same as none. */
    usual?: Readonly<Record<string, string>>;
  }
}
