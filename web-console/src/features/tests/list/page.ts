import { definePage } from '../../../ui/page/page.ts';
import { decodeTestsSearch } from './tests-search.ts';

export const testsPage = definePage({
  path: '/tests',
  title: 'Tests',
  icon: 'target',
  group: 'fleet',
  permission: 'test.read',
  words: ['synthetic', 'checks', 'probes', 'uptime', 'availability', 'monitors', 'certificates'],
  search: decodeTestsSearch,
  usual: { page: '1', size: '50' },
  views: ['?drawer=new', '?drawer=describe'],
  load: () => import('./tests-page.tsx').then((module) => module.TestsPage),
});
