import { definePage, tabSearch } from '../../ui/page/page.ts';

export const settingsPage = definePage({
  path: '/settings',
  title: 'Settings',
  icon: 'settings',
  group: 'administration',
  words: [
    'policy',
    'enrol',
    'targets',
    'disclosure',
    'sessions',
    'secrets',
    'maintenance windows',
    'thresholds',
    'resolve incidents',
    'watch services',
  ],
  search: tabSearch(['policy', 'people-see', 'tests', 'incidents', 'enrol', 'export', 'sessions']),
  usual: { tab: 'policy' },
  views: ['?tab=people-see', '?tab=tests', '?tab=incidents', '?tab=enrol', '?tab=export', '?tab=sessions'],
  load: () => import('./settings-page.tsx').then((module) => module.SettingsPage),
});
