import { definePage, tabSearch } from '../../ui/page/page.ts';

export const settingsPage = definePage({
  path: '/settings',
  title: 'Settings',
  icon: 'settings',
  group: 'administration',
  words: ['policy', 'enrol', 'targets', 'disclosure', 'sessions'],
  search: tabSearch(['policy', 'people-see', 'enrol', 'export', 'sessions']),
  usual: { tab: 'policy' },
  views: ['?tab=people-see', '?tab=enrol', '?tab=export', '?tab=sessions'],
  load: () => import('./settings-page.tsx').then((module) => module.SettingsPage),
});
