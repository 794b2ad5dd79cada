import type { IncidentListQuery, IncidentState } from '@svc/contracts/incidents/incident';
import type { Plane, Severity } from '@svc/contracts/incidents/signal';
import { decodeRange, RANGES, type RangeSearch, type TimeRule } from '../../ui/address/time-range.ts';

/** Incidents of all times unless one asks for some: those that were going on then. As long as they are kept. */
export const INCIDENTS_TIME: TimeRule = { names: ['1h', '6h', '24h', '7d', '30d'], longestMs: 400 * RANGES['24h'] };

/** What the address of the list asks for; without a state those that are open, acknowledged ones included. */
export interface IncidentsSearch extends RangeSearch {
  status?: 'resolved' | 'all' | 'acknowledged' | 'unacknowledged' | undefined;
  severity?: Severity | undefined;
  plane?: Plane | undefined;
  text?: string | undefined;
  sort?: 'newest' | 'last_seen' | 'severity' | undefined;
}

const STATUS = ['resolved', 'all', 'acknowledged', 'unacknowledged'] as const;
export const SEVERITY_CHOICES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];
export const PLANE_CHOICES = ['tests', 'endpoint', 'otlp', 'rum'] as const satisfies readonly Plane[];
const SORTS = ['newest', 'last_seen', 'severity'] as const;
const MAX_TEXT = 200;

const oneOf = <Value extends string>(values: readonly Value[], raw: unknown): Value | undefined =>
  values.find((value) => value === raw);

export function decodeIncidentsSearch(raw: Record<string, unknown>): IncidentsSearch {
  const text = typeof raw.text === 'string' || typeof raw.text === 'number' ? String(raw.text).slice(0, MAX_TEXT) : '';
  const search = {
    status: oneOf(STATUS, raw.status),
    severity: oneOf(SEVERITY_CHOICES, raw.severity),
    plane: oneOf(PLANE_CHOICES, raw.plane),
    text: text.trim() === '' ? undefined : text,
    sort: oneOf(SORTS, raw.sort),
    ...decodeRange(raw, INCIDENTS_TIME),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

const STATES: Readonly<Record<NonNullable<IncidentsSearch['status']> | 'open', readonly IncidentState[] | undefined>> = {
  open: ['open', 'acknowledged'],
  unacknowledged: ['open'],
  acknowledged: ['acknowledged'],
  resolved: ['resolved'],
  all: undefined,
};

/** The time as the server is asked: a range has no end, since the server's clock knows better than the viewer's what is now. */
export function spanOf({ range, from, to }: RangeSearch, nowMs: number): { from?: string; to?: string } {
  if (from && to) return { from, to };
  return range ? { from: new Date(nowMs - RANGES[range]).toISOString() } : {};
}

/** The same as the server is asked, without its time. */
export function queryOf({
  status,
  severity,
  plane,
  text,
  sort,
}: IncidentsSearch): Omit<IncidentListQuery, 'limit' | 'from' | 'to'> {
  const states = STATES[status ?? 'open'];
  return {
    sort: sort ?? 'open_first',
    ...(states && { status: [...states] }),
    ...(severity && { severity: [severity] }),
    ...(plane && { plane: [plane] }),
    ...(text && { search: text }),
  };
}

/** Whether only some time is asked for. */
export const hasTime = ({ range, from }: RangeSearch): boolean => range !== undefined || from !== undefined;

/** Filters beside the state, which every list has. */
export const countFilters = ({ severity, plane, text, ...time }: IncidentsSearch): number =>
  [severity, plane, text].filter((value) => value !== undefined).length + (hasTime(time) ? 1 : 0);

export const NO_FILTERS = {
  ...{ severity: undefined, plane: undefined, text: undefined },
  ...{ range: undefined, from: undefined, to: undefined },
} as const;
