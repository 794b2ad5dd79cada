import type { BuiltInView } from '../../ui/views/saved-views.ts';
import { ViewsMenu } from '../../ui/views/views-menu.tsx';
import { decodeIncidentsSearch, type IncidentsSearch } from './incidents-search.ts';

const BUILT_IN: readonly BuiltInView[] = [
  { name: 'Open', search: '' },
  { name: 'Nobody has it yet', search: 'status=unacknowledged' },
  { name: 'Critical, newest first', search: 'severity=critical&sort=newest' },
];

/** Views of the incidents: what is filtered, and in which order. */
export const IncidentsViews = ({ search }: { search: IncidentsSearch }) => (
  <ViewsMenu page="incidents" search={search} decode={decodeIncidentsSearch} builtIn={BUILT_IN} />
);
