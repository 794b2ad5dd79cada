import { definePage } from '../../../ui/page/page.ts';
import { decodeTestSearch, TEST_RANGE } from './test-search.ts';

export const testPage = definePage({
  path: '/tests/$id',
  title: 'Test',
  icon: 'target',
  permission: 'test.read',
  namesWindow: true,
  search: decodeTestSearch,
  range: TEST_RANGE,
  load: () => import('./test-page.tsx').then((module) => module.TestPage),
});
