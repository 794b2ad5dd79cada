import type { TestType } from '@svc/contracts/tests/test-types';
import type { TestField } from './field-list.ts';

/** The parameters of one type as they are typed; what is not there has the server's default. */
export type Params = { readonly [key: string]: unknown };

const isParams = (value: unknown): value is Params => typeof value === 'object' && value !== null && !Array.isArray(value);

export function readAt(params: Params, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isParams(at) ? at[key] : undefined), params);
}

/** The parameters with one value set, or taken out where it is undefined. */
export function writeAt(params: Params, path: string, value: unknown): Params {
  const [key = '', ...rest] = path.split('.');
  const { [key]: before, ...others } = params;
  if (rest.length === 0) return value === undefined ? others : { ...others, [key]: value };
  return { ...others, [key]: writeAt(isParams(before) ? before : {}, rest.join('.'), value) };
}

/** What a new test begins with where it is not the server's default: what one would want to be told of. */
export const FIRST_PARAMS: Readonly<Record<TestType, Params>> = {
  http: { assertions: { status: ['2xx'], total_ms: 2000 } },
  https: { assertions: { status: ['2xx'], total_ms: 2000, certificate_days: 14 } },
  dns: { assertions: { code: 'NOERROR' } },
  icmp: { assertions: { loss_max_ratio: 0.5 } },
  tcp: { assertions: { total_ms: 1000 } },
  udp: {},
  browser: { viewport: { width: 1280, height: 800 }, assertions: { status: ['2xx'], total_ms: 10_000 } },
};

interface Named {
  name: string;
}
const isNamed = (value: unknown): value is Named & Params => isParams(value) && typeof value.name === 'string';

const headerLine = (header: unknown): string => {
  if (!isNamed(header)) return '';
  if (header.equals !== undefined) return `${header.name} = ${String(header.equals)}`;
  if (header.matches !== undefined) return `${header.name} ~ ${String(header.matches)}`;
  const value = header.value ?? header.contains;
  return value === undefined ? header.name : `${header.name}: ${String(value)}`;
};

const jsonLine = (item: unknown): string => {
  if (!isParams(item)) return '';
  if (item.matches !== undefined) return `${String(item.path)} ~ ${String(item.matches)}`;
  return item.equals === undefined ? String(item.path) : `${String(item.path)} = ${JSON.stringify(item.equals)}`;
};

/** A value of the parameters as the text of its field. */
export function toText({ kind }: Pick<TestField, 'kind'>, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'percent') return String(Math.round(Number(value) * 10_000) / 100);
  if (!Array.isArray(value)) return String(value);
  if (kind === 'headers') return value.map(headerLine).join('\n');
  if (kind === 'json') return value.map(jsonLine).join('\n');
  return value.join('\n');
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** JSON where it is, else the text itself: `ok` and `"ok"` mean the same. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const HEADER_RULES: Readonly<Record<string, string>> = { ':': 'contains', '=': 'equals', '~': 'matches' };

/** Headers that are sent have a value; those of an assertion contain, equal or match a text, or are just there. */
function readHeader(line: string, isAssertion: boolean): Params {
  const [, name = line, sign = ':', value = ''] =
    (isAssertion ? /^([^\s:=]+)\s*([:=~])\s*(.*)$/ : /^([^:]*)(:)\s*(.*)$/).exec(line) ?? [];
  if (!isAssertion) return { name: name.trim(), value };
  return value === '' ? { name } : { name, [HEADER_RULES[sign] ?? 'contains']: value };
}

function readJson(line: string): Params {
  const [, path = line, sign, value = ''] = /^(\S+)\s*([=~])\s*(.*)$/.exec(line) ?? [];
  if (sign === '~') return { path, matches: value };
  return sign === '=' ? { path, equals: parseJson(value) } : { path };
}

/** The value that a field's text stands for; undefined for none. What is no number stays text, so that the server says so at its place. */
export function fromText({ kind, path }: Pick<TestField, 'kind' | 'path'>, text: string): unknown {
  if (kind === 'headers') {
    const headers = linesOf(text).map((line) => readHeader(line, path.startsWith('assertions.')));
    return headers.length > 0 ? headers : undefined;
  }
  if (kind === 'json') return linesOf(text).length > 0 ? linesOf(text).map(readJson) : undefined;
  if (kind === 'lines') return linesOf(text).length > 0 ? linesOf(text) : undefined;
  if (kind === 'text' || kind === 'area') return text === '' ? undefined : text;
  if (text.trim() === '') return undefined;
  if (kind === 'choice') return path === 'family' ? Number(text) : text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  return kind === 'percent' ? number / 100 : number;
}
