import { definePage } from '../../ui/page/page.ts';
import { decodeAppSearch } from './app/app-search.ts';
import { decodeHostSearch, HOST_RANGE } from './host/host-search.ts';
import { decodeRumSearch } from './list/rum-search.ts';

export const rumPage = definePage({
  path: '/rum',
  title: 'Real users',
  icon: 'people',
  group: 'fleet',
  permission: 'rum.read',
  words: ['rum', 'visitors', 'web vitals', 'lcp', 'page loads', 'beacons', 'snippet', 'consent', 'browser'],
  search: decodeRumSearch,
  load: () => import('./list/rum-page.tsx').then((module) => module.RumPage),
});

/** One app: its snippet and key, and what the script would send. */
export const rumAppPage = definePage({
  path: '/rum/$app',
  title: 'App',
  icon: 'people',
  permission: 'rum.read',
  namesWindow: true,
  search: decodeAppSearch,
  views: ['?tab=try'],
  load: () => import('./app/app-page.tsx').then((module) => module.AppPage),
});

export const rumHostPage = definePage({
  path: '/rum/$app/$host',
  title: 'Host of an app',
  icon: 'people',
  permission: 'rum.read',
  namesWindow: true,
  search: decodeHostSearch,
  range: HOST_RANGE,
  load: () => import('./host/host-page.tsx').then((module) => module.HostPage),
});
