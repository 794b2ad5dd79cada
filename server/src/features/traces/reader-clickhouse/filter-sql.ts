import type { TraceFilter } from '../api.ts';
import { ATTRIBUTE_COLUMNS, toList } from '../domain/attribute-columns.ts';
import { type AttributeFilter, type Comparison, isComparison, parseAttributeFilter } from '../domain/attribute-filter.ts';
import type { Window } from '../reader.ts';
import { KIND_NAMES, STATUS_NAMES } from '../span-words.ts';

/** A condition with its parameters. */
export interface Condition {
  where: string;
  params: Record<string, unknown>;
}

/** A condition on spans that holds the tenant and the window, so every question begins with it. */
export interface SpanCondition extends Condition {
  /** The table, with a cheaper condition that leaves few rows to look at whole where there is one. */
  from: string;
  /** Whether rows are told apart by the order of the table alone, but for the window. */
  byKey: boolean;
  settings: readonly string[];
}

/**
 * Values alone are read in half the time of whole maps, and 4 to 10 % quicker in pieces that stay in the processor's cache. ClickHouse remembers
 * where nothing matched, for the next question of the same page, but not while it orders by these two short cuts.
 */
const OF_MAPS = [
  'preferred_block_size_bytes = 250000',
  'use_top_k_dynamic_filtering = 0',
  'query_plan_optimize_lazy_materialization = 0',
];
const hasValue = (value: string): string => `(has(attributes.values, ${value}) OR has(resource.values, ${value}))`;

const SIGNS: Readonly<Record<Comparison, string>> = { above: '>', below: '<', atLeast: '>=', atMost: '<=' };

/** Of a text that is there; what is not a number compares with none. */
function testSql(text: string, { test }: AttributeFilter, value: string): string | undefined {
  if (test === 'contains') return `positionCaseInsensitiveUTF8(${text}, ${value}) > 0`;
  return isComparison(test) ? `ifNull(toFloat64OrNull(${text}) ${SIGNS[test]} toFloat64(${value}), 0)` : undefined;
}

/** An empty column means that the attribute is not there. */
function columnCondition(column: string, filter: AttributeFilter, value: string): string {
  const { test } = filter;
  const text = column === 'http_status' ? `if(http_status = 0, '', toString(http_status))` : column;
  if (test === 'equals') return `${text} = ${value}`;
  if (test === 'differs') return `${text} != ${value}`;
  const tested = testSql(`toString(${text})`, filter, value);
  if (tested) return tested;
  return test === 'exists' ? `${text} != ''` : `${text} = ''`;
}

function mapCondition(filter: AttributeFilter, key: string, value: string): string {
  const { test } = filter;
  const has = (map: string): string => `mapContains(${map}, ${key})`;
  const present = `(${has('attributes')} OR ${has('resource')})`;
  if (test === 'exists') return present;
  if (test === 'absent') return `NOT ${present}`;
  // An attribute of the span wins over one of its resource.
  const found = `if(${has('attributes')}, attributes[${key}], toString(resource[${key}]))`;
  if (test === 'differs') return `NOT (${present} AND ${found} = ${value})`;
  const tested = testSql(found, filter, value);
  if (tested) return tested;
  // A value that is not empty is found by look-up alone.
  return `(attributes[${key}] = ${value} OR resource[${key}] = ${value}) AND ${present} AND ${found} = ${value}`;
}

const TEXT_LISTS = { service: 'service', operation: 'name' } as const;

/** Whether maps of attributes have to be read, which are most of what a span weighs. */
export const readsMaps = ({ attribute }: TraceFilter): boolean =>
  toList(attribute).some((text) => !ATTRIBUTE_COLUMNS.has(parseAttributeFilter(text).key));

/** The condition of a filter. */
export function filterSql(filter: TraceFilter, window: Window): SpanCondition {
  const params: Record<string, unknown> = { fromMs: window.fromMs, toMs: window.toMs };
  const inWindow = 'ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})';
  const parts: string[] = [];
  for (const [name, column] of Object.entries(TEXT_LISTS)) {
    const values = toList(filter[name as keyof typeof TEXT_LISTS]);
    if (values.length === 0) continue;
    params[name] = values;
    parts.push(`${column} IN {${name}:Array(String)}`);
  }
  const ofKey = parts.length;
  const statuses = toList(filter.status).map((name) => STATUS_NAMES.indexOf(name));
  if (statuses.length > 0) parts.push(`status IN (${statuses.join(', ')})`);
  const kinds = toList(filter.kind).map((name) => KIND_NAMES.indexOf(name));
  if (kinds.length > 0) parts.push(`kind IN (${kinds.join(', ')})`);
  if (filter.min_ms !== undefined) {
    params.minNs = Math.round(filter.min_ms * 1e6);
    parts.push('duration_ns >= {minNs:UInt64}');
  }
  if (filter.max_ms !== undefined) {
    params.maxNs = Math.round(filter.max_ms * 1e6);
    parts.push('duration_ns <= {maxNs:UInt64}');
  }
  const ofMaps: string[] = [];
  const values: string[] = [];
  for (const [index, text] of toList(filter.attribute).entries()) {
    const wanted = parseAttributeFilter(text);
    params[`key${index}`] = wanted.key;
    params[`value${index}`] = wanted.value;
    const column = ATTRIBUTE_COLUMNS.get(wanted.key);
    const value = `{value${index}:String}`;
    if (column) parts.push(`(${columnCondition(column, wanted, value)})`);
    else ofMaps.push(`(${mapCondition(wanted, `{key${index}:String}`, value)})`);
    if (!column && wanted.test === 'equals') values.push(hasValue(value));
  }
  // Without the window: times are then read only of what matches, and what is remembered is good for any window.
  const from = values.length > 0 ? `spans PREWHERE ${[...parts, ...values].join(' AND ')}` : 'spans';
  const where = ['tenant_id = {tenant:String}', inWindow, ...parts, ...ofMaps].join(' AND ');
  const byKey = parts.length === ofKey && ofMaps.length === 0;
  return { from, where, byKey, settings: ofMaps.length > 0 ? OF_MAPS : [], params };
}

/** Ids of traces as parameters of their own: a set made of constants is what the index can be asked for. */
export function idsSql(ids: readonly string[]): Condition {
  const params = Object.fromEntries(ids.map((id, index) => [`id${index}`, id]));
  return { where: `trace_id IN (${ids.map((_, index) => `unhex({id${index}:String})`).join(', ')})`, params };
}
