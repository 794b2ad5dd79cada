import { TEST_TYPES, type TestType } from '@svc/contracts/tests/test-types';
import type { TestListQuery, TestState } from '@svc/contracts/tests/views';
import { listOf, membersOf, numberOf, stringifySearch, textOf } from '../../../ui/address/search-params.ts';
import { PAGE_SIZES } from '../../../ui/table/page-sizes.ts';
import { decodeSort, encodeSort, type SortItem } from '../../../ui/table/sort.ts';
import { type DrawerSearch, decodeDrawer } from '../drawer-search.ts';
import { STATES } from '../test-states.ts';

const DEFAULT_SIZE = 50;
/** As the server takes them. */
export const MAX_SORTS = 3;

export type SortColumn = NonNullable<TestListQuery['sort']>[number]['by'];
export type TestSort = SortItem<SortColumn>[];

const SORTABLE = {
  state: true,
  name: true,
  type: true,
  target: true,
  availability: true,
  total: true,
  p95: true,
  last: true,
  interval: true,
  certificate: true,
} as const satisfies Record<SortColumn, true>;

/** Everything of the list that a link carries; filters by the names of the API. */
export interface TestsSearch extends DrawerSearch {
  search?: string | undefined;
  state?: TestState[] | undefined;
  type?: TestType[] | undefined;
  runner?: string[] | undefined;
  label?: string[] | undefined;
  sort?: string[] | undefined;
  /** Shown columns in their order, by commas; absent: the default ones. */
  cols?: string | undefined;
  page?: number | undefined;
  size?: number | undefined;
}

const shortTexts = (value: unknown, [longest, most]: readonly [number, number]): string[] | undefined =>
  listOf(listOf(value)?.filter((text) => text.length <= longest))?.slice(0, most);

function sortsOf(value: unknown): string[] | undefined {
  const known = listOf(value)?.filter((item) => Object.hasOwn(SORTABLE, item.replace(/^-/, '')));
  return listOf(known?.slice(0, MAX_SORTS));
}

/** The URL's query as a search; what is not understood is dropped, never an error page. */
export function decodeTestsSearch(raw: Record<string, unknown>): TestsSearch {
  const page = numberOf(raw.page, [2, 100_000]);
  const size = PAGE_SIZES.find((known) => String(known) === textOf(raw.size));
  const search: TestsSearch = {
    search: textOf(raw.search)?.slice(0, 200),
    state: membersOf(raw.state, STATES),
    type: membersOf(raw.type, TEST_TYPES),
    runner: shortTexts(raw.runner, [64, 20]),
    label: shortTexts(raw.label, [192, 10]),
    sort: sortsOf(raw.sort),
    cols: textOf(raw.cols)?.slice(0, 500),
    page: Number.isInteger(page) ? page : undefined,
    size: size === DEFAULT_SIZE ? undefined : size,
    ...decodeDrawer(raw),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as TestsSearch;
}

const FILTER_KEYS = ['search', 'state', 'type', 'runner', 'label'] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** The part of a search that the server filters by. */
export function toFilter(search: TestsSearch): Pick<TestsSearch, FilterKey> {
  const entries = FILTER_KEYS.filter((key) => search[key] !== undefined).map((key) => [key, search[key]]);
  return Object.fromEntries(entries) as Pick<TestsSearch, FilterKey>;
}

export const activeFilters = (search: TestsSearch): FilterKey[] => FILTER_KEYS.filter((key) => search[key] !== undefined);

/** The search with every filter gone; sort, columns and page size stay. */
export function withoutFilters(search: TestsSearch): TestsSearch {
  const rest = { ...search, page: undefined };
  for (const key of FILTER_KEYS) rest[key] = undefined;
  return rest;
}

/** Worst first. */
export const DEFAULT_SORT: TestSort = [
  { column: 'state', desc: false },
  { column: 'name', desc: false },
];

export const toSort = (search: TestsSearch): TestSort => (search.sort ? decodeSort<SortColumn>(search.sort) : DEFAULT_SORT);

/** The sort for the URL; the default leaves no trace. */
export function fromSort(sort: TestSort): string[] | undefined {
  const encoded = encodeSort(sort);
  return encoded.join() === encodeSort(DEFAULT_SORT).join() || encoded.length === 0 ? undefined : encoded;
}

export const pageOf = (search: TestsSearch): { limit: number; offset: number; page: number } => {
  const limit = search.size ?? DEFAULT_SIZE;
  const page = search.page ?? 1;
  return { limit, page, offset: (page - 1) * limit };
};

/** As `tests.list` is asked for this page of the list. */
export function toQuery(search: TestsSearch) {
  const { limit, offset } = pageOf(search);
  return {
    ...toFilter(search),
    sort: toSort(search).map(({ column, desc }) => ({ by: column, descending: desc })),
    limit,
    offset,
  };
}

/** Where the CSV of exactly what is filtered, over all pages and in the shown order, is read from. */
export const csvHref = (search: TestsSearch): string =>
  `/v1/tests.csv${stringifySearch({ ...toFilter(search), sort: encodeSort(toSort(search)) })}`;
