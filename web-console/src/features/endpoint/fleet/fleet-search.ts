import type { FleetFilter, FleetSort, SortColumn, Verdict } from '@svc/contracts/endpoint/view';
import { FAULT_KINDS, type FaultKind } from '@svc/contracts/fault-kinds';
import { HEALTHS, type Health } from '@svc/contracts/judged/healths';
import { MISSING_PERMISSIONS, type MissingPermission } from '@svc/contracts/verdict';
import { listOf, membersOf, numberOf, stringifySearch, textOf } from '../../../ui/address/search-params.ts';
import { NO_VERDICT, SLOW_CAUSES } from '../../../ui/devices/verdict-states.ts';
import { PAGE_SIZES } from '../../../ui/table/page-sizes.ts';
import { decodeSort, encodeSort } from '../../../ui/table/sort.ts';

const VERDICTS: readonly Verdict[] = [...SLOW_CAUSES, 'none', ...NO_VERDICT];
const RINGS = ['canary', 'early', 'main'] as const;
const CONNECTIONS = ['wifi', 'wired', 'cellular', 'unknown'] as const;
const FACES = ['window', 'headless'] as const;
const DEFAULT_SIZE = 50;
export const MAX_SORTS = 4;

/** Columns the server sorts by, in the console's own copy: the contract's list stands in a file with zod. */
const SORTABLE = {
  name: true,
  owner: true,
  site: true,
  verdict: true,
  verdict_since: true,
  wifi_rssi_dbm: true,
  wifi_signal_percent: true,
  gateway_rtt_ms: true,
  gateway_loss_ratio: true,
  isp_rtt_ms: true,
  isp_loss_ratio: true,
  worst_session_ms: true,
  os: true,
  agent_version: true,
  last_contact_at: true,
} as const satisfies Record<SortColumn, true>;

/** Everything of the fleet page that a link carries; filters by the names of the API. */
export interface FleetSearch {
  search?: string | undefined;
  verdict?: Verdict[] | undefined;
  health?: Health[] | undefined;
  fault?: FaultKind[] | undefined;
  site?: string[] | undefined;
  os?: string[] | undefined;
  agent_version?: string[] | undefined;
  ring?: (typeof RINGS)[number][] | undefined;
  connection?: (typeof CONNECTIONS)[number][] | undefined;
  face?: (typeof FACES)[number][] | undefined;
  missing_permission?: MissingPermission[] | undefined;
  gateway?: string | undefined;
  contact_within_minutes?: number | undefined;
  silent_for_minutes?: number | undefined;
  wifi_rssi_below?: number | undefined;
  gateway_rtt_above?: number | undefined;
  isp_rtt_above?: number | undefined;
  session_above_ms?: number | undefined;
  /** Columns, a minus in front for descending; the first weighs most. */
  sort?: string[] | undefined;
  /** Shown columns in their order, by commas; absent: the default ones. */
  cols?: string | undefined;
  page?: number | undefined;
  size?: number | undefined;
}

/** Values short enough for the server; undefined when there is none. */
function textsOf(value: unknown, longest: number): string[] | undefined {
  return listOf(listOf(value)?.filter((text) => text.length <= longest));
}

function sortsOf(value: unknown): string[] | undefined {
  const known = listOf(value)?.filter((item) => Object.hasOwn(SORTABLE, item.replace(/^-/, '')));
  return listOf(known?.slice(0, MAX_SORTS));
}

function wholeOf(value: unknown, bounds: readonly [number, number]): number | undefined {
  const number = numberOf(value, bounds);
  return Number.isInteger(number) ? number : undefined;
}

/** The URL's query as a search; what is not understood is dropped, never an error page. */
export function decodeFleetSearch(raw: Record<string, unknown>): FleetSearch {
  const page = wholeOf(raw.page, [2, 100_000]);
  const size = PAGE_SIZES.find((known) => String(known) === textOf(raw.size));
  const search: FleetSearch = {
    search: textOf(raw.search)?.slice(0, 200),
    verdict: membersOf(raw.verdict, VERDICTS),
    health: membersOf(raw.health, HEALTHS),
    fault: membersOf(raw.fault, FAULT_KINDS),
    site: textsOf(raw.site, 128),
    os: textsOf(raw.os, 64),
    agent_version: textsOf(raw.agent_version, 64),
    ring: membersOf(raw.ring, RINGS),
    connection: membersOf(raw.connection, CONNECTIONS),
    face: membersOf(raw.face, FACES),
    missing_permission: membersOf(raw.missing_permission, MISSING_PERMISSIONS),
    gateway: textOf(raw.gateway)?.slice(0, 64),
    contact_within_minutes: wholeOf(raw.contact_within_minutes, [1, 10_000_000]),
    silent_for_minutes: wholeOf(raw.silent_for_minutes, [1, 10_000_000]),
    wifi_rssi_below: numberOf(raw.wifi_rssi_below, [-120, 0]),
    gateway_rtt_above: numberOf(raw.gateway_rtt_above, [0, 600_000]),
    isp_rtt_above: numberOf(raw.isp_rtt_above, [0, 600_000]),
    session_above_ms: numberOf(raw.session_above_ms, [0, 600_000]),
    sort: sortsOf(raw.sort),
    cols: textOf(raw.cols)?.slice(0, 500),
    page,
    size: size === DEFAULT_SIZE ? undefined : size,
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as FleetSearch;
}

const FILTER_KEYS = [
  'search',
  'verdict',
  'health',
  'fault',
  'site',
  'os',
  'agent_version',
  'ring',
  'connection',
  'face',
  'missing_permission',
  'gateway',
  'contact_within_minutes',
  'silent_for_minutes',
  'wifi_rssi_below',
  'gateway_rtt_above',
  'isp_rtt_above',
  'session_above_ms',
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** The part of a search that the server filters by. */
export function toFilter(search: FleetSearch): FleetFilter {
  const filter: Record<string, unknown> = {};
  for (const key of FILTER_KEYS) if (search[key] !== undefined) filter[key] = search[key];
  return filter as FleetFilter;
}

export const activeFilters = (search: FleetSearch): FilterKey[] => FILTER_KEYS.filter((key) => search[key] !== undefined);

/** The search with every filter gone; sort, columns and page size stay. */
export function withoutFilters(search: FleetSearch): FleetSearch {
  const rest = { ...search, page: undefined };
  for (const key of FILTER_KEYS) rest[key] = undefined;
  return rest;
}

/** Worst first: slow before silent before healthy, then the slowest session. */
export const DEFAULT_SORT: FleetSort = [
  { column: 'verdict', desc: false },
  { column: 'worst_session_ms', desc: true },
];

export function toSort(search: FleetSearch): FleetSort {
  if (!search.sort) return DEFAULT_SORT;
  return decodeSort<SortColumn>(search.sort);
}

/** The sort for the URL; the default leaves no trace. */
export function fromSort(sort: FleetSort): string[] | undefined {
  const encoded = encodeSort(sort);
  return encoded.join() === encodeSort(DEFAULT_SORT).join() || encoded.length === 0 ? undefined : encoded;
}

export const pageOf = (search: FleetSearch): { limit: number; offset: number; page: number } => {
  const limit = search.size ?? DEFAULT_SIZE;
  const page = search.page ?? 1;
  return { limit, page, offset: (page - 1) * limit };
};

/** Where the CSV of exactly what is filtered, over all pages and in the shown order, is read from. */
export const csvHref = (search: FleetSearch): string =>
  `/v1/endpoints.csv${stringifySearch({ ...toFilter(search), sort: encodeSort(toSort(search)) })}`;
