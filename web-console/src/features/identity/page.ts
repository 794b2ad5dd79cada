import { definePage, tabSearch } from '../../ui/page/page.ts';

export const peoplePage = definePage({
  path: '/identity',
  title: 'People and tokens',
  icon: 'key',
  group: 'administration',
  permission: 'member.write',
  words: ['members', 'roles', 'invite', 'api tokens'],
  search: tabSearch(['people', 'tokens', 'roles']),
  usual: { tab: 'people' },
  views: ['?tab=tokens', '?tab=roles'],
  load: () => import('./people-page.tsx').then((module) => module.PeoplePage),
});
