import { useMemo } from 'react';
import type { BuiltInView } from '../../../ui/views/saved-views.ts';
import { ViewsMenu } from '../../../ui/views/views-menu.tsx';
import { decodeTestsSearch, type TestsSearch } from './tests-search.ts';

const BUILT_IN: readonly BuiltInView[] = [
  { name: 'Worst first', search: '' },
  { name: 'Failing now', search: 'state=failing' },
  { name: 'Lowest availability first', search: 'sort=availability' },
  { name: 'Certificates that end soonest', search: 'sort=certificate' },
];

/** Views of the tests: a filter, an order and a set of columns; the page of the list and the drawer are of the moment. */
export function TestsViews({ search }: { search: TestsSearch }) {
  const viewed = useMemo(() => ({ ...search, page: undefined, drawer: undefined, of: undefined }), [search]);
  return <ViewsMenu page="tests" search={viewed} decode={decodeTestsSearch} builtIn={BUILT_IN} />;
}
