import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { decodeAuditSearch } from '../features/audit/audit-search.ts';
import { DEVICE_RANGE, decodeDeviceSearch } from '../features/device/device-search.ts';
import { decodeFleetSearch } from '../features/fleet/fleet-search.ts';
import { decodeLogsSearch, LOGS_RANGE } from '../features/logs/logs-search.ts';
import { decodeMetricsSearch, METRICS_RANGE } from '../features/metrics/metrics-search.ts';
import { decodeMapSearch, MAP_RANGE } from '../features/service-map/map-search.ts';
import { decodeTraceSearch } from '../features/traces/detail/trace-search.ts';
import { decodeTracesSearch, TRACES_RANGE } from '../features/traces/traces-search.ts';
import { keepRange } from '../ui/address/keep-range.ts';
import { knownSearch } from '../ui/address/known-search.ts';
import type { RangeRule } from '../ui/address/time-range.ts';
import { loadChunk } from '../ui/lost-chunk/load-chunk.ts';
import { parseSearch, stringifySearch } from '../ui/search-params.ts';
import { NotFoundPage, RouteErrorPage, ShellErrorPage } from './error-pages.tsx';
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

/** A page that is loaded when it is opened, and found again after an upgrade. */
const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(loadChunk(load), name);

/** A page whose address asks for nothing. */
const nothing = knownSearch(() => ({}));

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/fleet', replace: true });
  },
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/fleet',
  validateSearch: knownSearch(decodeFleetSearch),
  staticData: { usual: { page: '1', size: '50' } },
  component: lazyPage(() => import('../features/fleet/fleet-page.tsx'), 'FleetPage'),
});

const device = createRoute({
  getParentRoute: () => root,
  path: '/fleet/$id',
  validateSearch: knownSearch(decodeDeviceSearch),
  search: { middlewares: [keepRange(DEVICE_RANGE)] },
  staticData: { range: DEVICE_RANGE },
  component: lazyPage(() => import('../features/device/device-page.tsx'), 'DevicePage'),
});

const logs = createRoute({
  getParentRoute: () => root,
  path: '/logs',
  validateSearch: knownSearch(decodeLogsSearch),
  search: { middlewares: [keepRange(LOGS_RANGE)] },
  staticData: { range: LOGS_RANGE },
  component: lazyPage(() => import('../features/logs/logs-page.tsx'), 'LogsPage'),
});

const map = createRoute({
  getParentRoute: () => root,
  path: '/map',
  validateSearch: knownSearch(decodeMapSearch),
  search: { middlewares: [keepRange(MAP_RANGE)] },
  staticData: { range: MAP_RANGE },
  component: lazyPage(() => import('../features/service-map/map-page.tsx'), 'MapPage'),
});

const metrics = createRoute({
  getParentRoute: () => root,
  path: '/metric-explorer',
  validateSearch: knownSearch(decodeMetricsSearch),
  search: { middlewares: [keepRange(METRICS_RANGE)] },
  staticData: { range: METRICS_RANGE },
  component: lazyPage(() => import('../features/metrics/metrics-page.tsx'), 'MetricsPage'),
});

const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  validateSearch: nothing,
  component: lazyPage(() => import('./connectors-page.tsx'), 'ConnectorsPage'),
});

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  validateSearch: nothing,
  component: lazyPage(() => import('../features/fleet/first-run/first-run-page.tsx'), 'FirstRunPage'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: knownSearch(decodeAuditSearch),
  component: lazyPage(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
});

const tabbed =
  <T extends string>(tabs: readonly [T, ...T[]]) =>
  (raw: Record<string, unknown>): { tab?: T } => {
    const tab = tabs.find((name) => name === raw.tab);
    return tab && tab !== tabs[0] ? { tab } : {};
  };

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  validateSearch: knownSearch(tabbed(['people', 'tokens', 'roles'])),
  staticData: { usual: { tab: 'people' } },
  component: lazyPage(() => import('../features/people/people-page.tsx'), 'PeoplePage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: knownSearch(tabbed(['policy', 'people-see', 'enrol', 'export', 'sessions'])),
  staticData: { usual: { tab: 'policy' } },
  component: lazyPage(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
});

const traces = createRoute({
  getParentRoute: () => root,
  path: '/traces',
  validateSearch: knownSearch(decodeTracesSearch),
  search: { middlewares: [keepRange(TRACES_RANGE)] },
  staticData: { range: TRACES_RANGE },
  component: lazyPage(() => import('../features/traces/traces-page.tsx'), 'TracesPage'),
});

const trace = createRoute({
  getParentRoute: () => root,
  path: '/traces/$id',
  validateSearch: knownSearch(decodeTraceSearch),
  search: { middlewares: [keepRange()] },
  component: lazyPage(() => import('../features/traces/detail/trace-page.tsx'), 'TracePage'),
});

const routeTree = root.addChildren([
  index,
  fleet,
  device,
  logs,
  metrics,
  map,
  connectors,
  firstRun,
  audit,
  people,
  settings,
  traces,
  trace,
]);

/** The console's routes; every page but the shell is loaded when it is opened. */
export const createConsoleRouter = (context: RouterContext) =>
  createRouter({
    routeTree,
    context,
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
    /** The time range of a page, which the top bar then offers. */
    range?: RangeRule;
    /** Values of the address that mean the same as none. */
    usual?: Readonly<Record<string, string>>;
  }
}
