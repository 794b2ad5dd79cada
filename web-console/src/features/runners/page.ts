import { definePage, noSearch } from '../../ui/page/page.ts';

export const runnersPage = definePage({
  path: '/runners',
  title: 'Runners',
  icon: 'rows',
  group: 'administration',
  permission: 'agent.read',
  words: ['canary', 'vantage points', 'probes', 'tests run from'],
  search: noSearch,
  load: () => import('./runners-page.tsx').then((module) => module.RunnersPage),
});
