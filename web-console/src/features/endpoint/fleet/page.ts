import { definePage, noSearch } from '../../../ui/page/page.ts';
import { decodeFleetSearch } from './fleet-search.ts';

export const fleetPage = definePage({
  path: '/fleet',
  title: 'Fleet',
  icon: 'laptop',
  group: 'fleet',
  permission: 'agent.read',
  words: ['devices', 'laptops', 'verdicts'],
  search: decodeFleetSearch,
  usual: { page: '1', size: '50' },
  load: () => import('./fleet-page.tsx').then((module) => module.FleetPage),
});

export const firstRunPage = definePage({
  path: '/first-run',
  title: 'First run',
  icon: 'laptop',
  permission: 'settings.write',
  search: noSearch,
  load: () => import('./first-run/first-run-page.tsx').then((module) => module.FirstRunPage),
});
