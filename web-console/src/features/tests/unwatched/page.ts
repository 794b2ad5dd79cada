import { definePage, noSearch } from '../../../ui/page/page.ts';

export const unwatchedPage = definePage({
  path: '/unwatched',
  title: 'Not watched yet',
  icon: 'target',
  permission: 'test.write',
  search: noSearch,
  load: () => import('./unwatched-page.tsx').then((module) => module.UnwatchedPage),
});
