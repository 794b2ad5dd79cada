import { z } from 'zod';
import { AppError } from '#kernel';
import { parseNs } from './domain/instants.ts';
import { parseSearchText } from './domain/search-text.ts';

const instant = z.iso.datetime({ offset: true }).max(40);
const DAY_NS = 86_400_000_000_000n;
const MAX_WINDOW_NS = 31n * DAY_NS;
const DEFAULT_WINDOW_NS = DAY_NS / 24n;
/** Highest SeverityNumber of OTLP. */
const MAX_SEVERITY = 24;

/** `key=value`, `key!=value`, `key` (is there) or `!key` (is not). */
const AttributeTest = z
  .string()
  .max(4400)
  .regex(
    /^(![^=!\s][^=!]{0,254}|[^=!\s][^=!]{0,254}(!?=.{0,4096})?)$/s,
    'An attribute test is key=value, key!=value, key or !key.',
  );

const severity = { min: 1, max: MAX_SEVERITY };

/** Which records: of a window (the last hour where it is left out, at most 31 days), and passing every test given. */
export const LogFilter = z.object({
  from: instant.optional(),
  to: instant.optional(),
  /** Any of these services. */
  service: z.array(z.string().max(4096)).max(50).optional(),
  /** Least SeverityNumber: 5 debug, 9 info, 13 warn, 17 error, 21 fatal. */
  severity: z.int().min(severity.min).max(severity.max).optional(),
  /** Words or parts of words in any order; quoted text as it stands, a quoted word whole. */
  text: z.string().max(500).optional(),
  /** On the record, else on its resource; all must hold. */
  attribute: z.array(AttributeTest).max(20).optional(),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/i, 'A trace id is 32 hex digits.')
    .optional(),
});
export type LogFilter = z.infer<typeof LogFilter>;

/** A query string that names a key once gives text, where a list is meant. */
const list = <T extends z.ZodType>(one: T, most: number) =>
  z
    .union([one, z.array(one).max(most)])
    .transform((value) => (Array.isArray(value) ? value : [value]))
    .optional();

/** The same as a query string has it. */
export const LogFilterQuery = LogFilter.extend({
  service: list(z.string().max(4096), 50),
  attribute: list(AttributeTest, 20),
  severity: z.coerce.number().int().min(severity.min).max(severity.max).optional(),
});

export interface LogWindow {
  /** Unix nanoseconds, inclusive. */
  from: bigint;
  /** Exclusive. */
  to: bigint;
}

/** Times that the store can hold: 1970 to 2261. */
const LATEST_NS = 9_200_000_000_000_000_000n;
const clamp = (ns: bigint): bigint => (ns < 0n ? 0n : ns > LATEST_NS ? LATEST_NS : ns);

/** The window asked for, cut to 31 days before its end; AppError `validation` when it ends before it begins. */
export function windowOf({ from, to }: Pick<LogFilter, 'from' | 'to'>, nowMs: number): LogWindow {
  const end = to === undefined ? BigInt(nowMs) * 1_000_000n : clamp(parseNs(to));
  const start = from === undefined ? clamp(end - DEFAULT_WINDOW_NS) : clamp(parseNs(from));
  if (start > end) throw new AppError('validation', 'The time window must end after it begins.');
  return { from: start < end - MAX_WINDOW_NS ? end - MAX_WINDOW_NS : start, to: end };
}

export interface SqlFilter {
  where: string;
  params: Record<string, unknown>;
}

export interface LogCondition extends SqlFilter {
  /** The table, with a cheaper condition that leaves few rows to look at whole where there is one. */
  from: string;
  settings: readonly string[];
}

/** ClickHouse remembers where nothing matched, for the next question of the same page, but not while it orders by these two short cuts. */
const REMEMBERED = ['use_top_k_dynamic_filtering = 0', 'query_plan_optimize_lazy_materialization = 0'];
/** Values alone are read in half the time of whole maps. */
const hasValue = (name: string): string => `(has(attributes.values, {${name}:String}) OR has(resource.values, {${name}:String}))`;

const ATTRIBUTE = /^(!?)([^=!]+)(?:(!?=)(.*))?$/s;

interface AttributeCondition {
  key: string;
  test: 'equals' | 'differs' | 'exists' | 'absent';
  value: string;
}

/** Of a text that `LogFilter` let through. */
function parseAttributeTest(text: string): AttributeCondition {
  const [, not, key = '', sign, value = ''] = ATTRIBUTE.exec(text) ?? [];
  if (sign === undefined) return { key, test: not ? 'absent' : 'exists', value };
  return { key, test: sign === '!=' ? 'differs' : 'equals', value };
}

/** One test: a record's own attribute hides the one of its resource. */
function attributeSql(text: string, index: number): SqlFilter {
  const { key, test, value } = parseAttributeTest(text);
  const [keyName, valueName] = [`key${index}`, `value${index}`];
  const [own, inherited] = [`attributes[{${keyName}:String}]`, `resource[{${keyName}:String}]`];
  const has = `(mapContains(attributes, {${keyName}:String}) OR mapContains(resource, {${keyName}:String}))`;
  if (test === 'exists' || test === 'absent')
    return { where: test === 'absent' ? `NOT ${has}` : has, params: { [keyName]: key } };
  const effective = `if(mapContains(attributes, {${keyName}:String}), ${own}, ${inherited})`;
  const equal = `(${has} AND ${effective} = {${valueName}:String})`;
  return { where: test === 'differs' ? `NOT ${equal}` : equal, params: { [keyName]: key, [valueName]: value } };
}

/** Whether every line of the window has to be looked at: no index helps. */
export function readsEachLine({ attribute, text = '' }: LogFilter): boolean {
  const { tokens, parts, phrases } = parseSearchText(text);
  return tokens.length === 0 && (parts.length + phrases.length > 0 || (attribute ?? []).length > 0);
}

/** Whether an index tells where what matches is. */
export const isIndexed = ({ trace_id, text = '' }: LogFilter): boolean =>
  trace_id !== undefined || parseSearchText(text).tokens.length > 0;

/** The filter as a condition over `logs`; every value goes by a parameter. */
export function filterSql(filter: LogFilter, window: LogWindow): LogCondition {
  const within =
    'tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Nano({fromNs:Int64}) AND ts < fromUnixTimestamp64Nano({toNs:Int64})';
  const parts: string[] = [];
  const params: Record<string, unknown> = { fromNs: String(window.from), toNs: String(window.to) };
  const add = (where: string, values: Record<string, unknown>): void => {
    parts.push(where);
    Object.assign(params, values);
  };
  if (filter.service && filter.service.length > 0) add('service IN {services:Array(String)}', { services: filter.service });
  if (filter.severity !== undefined) add('severity >= {severity:UInt8}', { severity: filter.severity });
  if (filter.trace_id) add('trace_id = unhex({trace:String})', { trace: filter.trace_id });
  const { tokens, parts: words, phrases } = parseSearchText(filter.text ?? '');
  // By the index of words; it lowers what it reads, so the words must be lower case already.
  if (tokens.length > 0) add('hasAllTokens(body, {tokens:Array(String)})', { tokens });
  // Folds ASCII alone, as the index does.
  for (const [i, word] of words.entries()) add(`positionCaseInsensitive(body, {part${i}:String}) > 0`, { [`part${i}`]: word });
  for (const [i, phrase] of phrases.entries())
    add(`positionCaseInsensitiveUTF8(body, {phrase${i}:String}) > 0`, { [`phrase${i}`]: phrase });
  const cheap = [...parts];
  const values: string[] = [];
  for (const [i, test] of (filter.attribute ?? []).entries()) {
    const attribute = attributeSql(test, i);
    add(attribute.where, attribute.params);
    if (parseAttributeTest(test).test === 'equals') values.push(hasValue(`value${i}`));
  }
  // Without the window: times are then read only of what matches, and what is remembered is good for any window.
  const from = values.length > 0 ? `logs PREWHERE ${[...cheap, ...values].join(' AND ')}` : 'logs';
  return {
    from,
    where: [within, ...parts].join(' AND '),
    settings: filter.attribute?.length || words.length > 0 ? REMEMBERED : [],
    params,
  };
}
