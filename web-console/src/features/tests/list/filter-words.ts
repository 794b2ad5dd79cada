import { joinWords } from '../../../ui/words/format.ts';
import { STATE_WORDS } from '../test-words.ts';
import { activeFilters, type FilterKey, type TestsSearch } from './tests-search.ts';

const TITLES: Readonly<Record<FilterKey, string>> = {
  search: 'Search',
  state: 'State',
  type: 'Type',
  runner: 'Runs from',
  label: 'Label',
};

export const filterTitle = (key: FilterKey): string => TITLES[key];

/** The value of one filter as its chip shows it. `nameOf`: a runner's name by its id. */
export function filterValue(search: TestsSearch, key: FilterKey, nameOf: (id: string) => string = (id) => id): string {
  if (key === 'search') return search.search ?? '';
  if (key === 'state') return joinWords((search.state ?? []).map((state) => STATE_WORDS[state].toLowerCase()));
  if (key === 'runner') return joinWords((search.runner ?? []).map(nameOf));
  return joinWords(search[key] ?? []);
}

/** "Type: dns and Label: team=shop" */
export const describeFilters = (search: TestsSearch, nameOf?: (id: string) => string): string =>
  joinWords(activeFilters(search).map((key) => `${filterTitle(key)}: ${filterValue(search, key, nameOf)}`));
