import type { Place } from './domain/place.ts';
import type { Positions } from './domain/positions.ts';
import type { LogFilter, LogWindow } from './filter.ts';
import type { LogRow } from './records.ts';

export interface LogQuestion {
  /** Its window is given apart. */
  filter: LogFilter;
  window: LogWindow;
}

/** A page newest first: after a place, or of what stands on the bus at these offsets and beyond. */
export interface PageQuestion extends LogQuestion {
  after?: Place;
  beyond?: Positions;
  limit: number;
}

/** Lines of the service and resource of the record at a place, on one side of it. */
export interface AroundQuestion {
  place: Place;
  service: string;
  /** Both ends inclusive. */
  window: LogWindow;
  side: '<' | '>';
  limit: number;
}

/** Records of `level` (severity, four numbers each) in the step that begins at `at` times its length. */
export interface StepRow {
  at: number;
  level: number;
  c: number;
}

export interface FacetRow {
  key: string;
  values: [value: string, count: number][];
}

/** Attributes are counted over this many of the newest records that match: a scan of every map of a day would take seconds. */
export const SAMPLED = 10_000;
export const MAX_SERVICES = 50;
export const VALUES_A_KEY = 8;
export const MAX_KEYS = 40;
/** Services are counted by themselves, and the tenant is the same for all. */
export const NO_FACETS: readonly string[] = ['service.name', 'svc.tenant.id'];
export const VALUE_FACET = 200;
/** Most characters of a body, and of one value, in a list. */
export const BODY_SHOWN = 4096;
export const VALUE_SHOWN = 512;
/** Bytes of notes about scope and resource; longer ones are only in the whole record. */
export const NOTES_SHOWN = 4096;

/** The logs of one tenant. Each question is one of the tenant's turns. */
export interface LogReader {
  page(question: PageQuestion): Promise<LogRow[]>;
  /** Whole; undefined where there is none. */
  find(place: Place): Promise<LogRow | undefined>;
  /** The nearest first. */
  around(question: AroundQuestion): Promise<LogRow[]>;
  /** Of what stands beyond, how many match. */
  count(question: LogQuestion & { beyond: Positions }): Promise<number>;
  /** By partition the offset after the last, of what stands beyond. */
  ends(question: LogQuestion & { beyond?: Positions }): Promise<{ at: number; next: string }[]>;
  steps(question: LogQuestion & { stepMs: number }): Promise<StepRow[]>;
  services(question: LogQuestion): Promise<{ service: string; c: number }[]>;
  attributes(question: LogQuestion): Promise<FacetRow[]>;
}
