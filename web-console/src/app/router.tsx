import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { decodeDeviceSearch } from '../features/device/device-search.ts';
import { decodeFleetSearch } from '../features/fleet/fleet-search.ts';
import { decodeLogsSearch } from '../features/logs/logs-search.ts';
import { decodeMetricsSearch } from '../features/metrics/metrics-search.ts';
import { decodeMapSearch } from '../features/service-map/map-search.ts';
import { decodeTraceSearch } from '../features/traces/detail/trace-search.ts';
import { decodeTracesSearch } from '../features/traces/traces-search.ts';
import { parseSearch, stringifySearch, textOf } from '../ui/search-params.ts';
import { NotFoundPage, RouteErrorPage } from './error-pages.tsx';
import { Shell } from './shell.tsx';

interface RouterContext {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Shell, notFoundComponent: NotFoundPage });

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
  validateSearch: decodeFleetSearch,
  component: lazyRouteComponent(() => import('../features/fleet/fleet-page.tsx'), 'FleetPage'),
});

const device = createRoute({
  getParentRoute: () => root,
  path: '/fleet/$id',
  validateSearch: decodeDeviceSearch,
  component: lazyRouteComponent(() => import('../features/device/device-page.tsx'), 'DevicePage'),
});

const logs = createRoute({
  getParentRoute: () => root,
  path: '/logs',
  validateSearch: decodeLogsSearch,
  component: lazyRouteComponent(() => import('../features/logs/logs-page.tsx'), 'LogsPage'),
});

const map = createRoute({
  getParentRoute: () => root,
  path: '/map',
  validateSearch: decodeMapSearch,
  component: lazyRouteComponent(() => import('../features/service-map/map-page.tsx'), 'MapPage'),
});

const metrics = createRoute({
  getParentRoute: () => root,
  path: '/metric-explorer',
  validateSearch: decodeMetricsSearch,
  component: lazyRouteComponent(() => import('../features/metrics/metrics-page.tsx'), 'MetricsPage'),
});

const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  component: lazyRouteComponent(() => import('./connectors-page.tsx'), 'ConnectorsPage'),
});

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  component: lazyRouteComponent(() => import('../features/fleet/first-run/first-run-page.tsx'), 'FirstRunPage'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: (
    raw: Record<string, unknown>,
  ): { action?: string; actor?: string; from?: string; to?: string; cursor?: string } => ({
    action: textOf(raw.action),
    actor: textOf(raw.actor),
    from: textOf(raw.from),
    to: textOf(raw.to),
    cursor: textOf(raw.cursor),
  }),
  component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
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
  validateSearch: tabbed(['people', 'tokens', 'roles']),
  component: lazyRouteComponent(() => import('../features/people/people-page.tsx'), 'PeoplePage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: tabbed(['policy', 'people-see', 'enrol', 'export', 'sessions']),
  component: lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
});

const traces = createRoute({
  getParentRoute: () => root,
  path: '/traces',
  validateSearch: decodeTracesSearch,
  component: lazyRouteComponent(() => import('../features/traces/traces-page.tsx'), 'TracesPage'),
});

const trace = createRoute({
  getParentRoute: () => root,
  path: '/traces/$id',
  validateSearch: decodeTraceSearch,
  component: lazyRouteComponent(() => import('../features/traces/detail/trace-page.tsx'), 'TracePage'),
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
export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
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
}
