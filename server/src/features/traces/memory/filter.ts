import type { BlockColumns } from '#telemetry';
import type { TraceFilter } from '../api.ts';
import { ATTRIBUTE_COLUMNS, toList } from '../domain/attribute-columns.ts';
import {
  type AttributeFilter,
  type Comparison,
  isComparison,
  numberOf,
  parseAttributeFilter,
} from '../domain/attribute-filter.ts';
import { KIND_NAMES, STATUS_NAMES } from '../span-words.ts';

type Test = (row: number) => boolean;

/** The attribute of a span, else of its resource. */
export function attributeOf(columns: BlockColumns, key: string): (row: number) => string | undefined {
  const [own, inherited] = [columns.maps('attributes'), columns.maps('resource')];
  return (row) => own.find(row, key) ?? inherited.find(row, key);
}

/** The text of a column of its own; '' means that the attribute is not there. */
function columnText(columns: BlockColumns, column: string): (row: number) => string {
  if (column !== 'http_status') {
    const texts = columns.lows(column);
    return (row) => texts.at(row);
  }
  const numbers = columns.numbers(column);
  return (row) => (numbers[row] === 0 ? '' : String(numbers[row]));
}

const COMPARISONS: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  above: (a, b) => a > b,
  below: (a, b) => a < b,
  atLeast: (a, b) => a >= b,
  atMost: (a, b) => a <= b,
};

/** Of a text that is there; what is not a number compares with none. */
function textTest({ test, value }: AttributeFilter): ((text: string) => boolean) | undefined {
  if (test === 'contains') {
    const part = value.toLowerCase();
    return (text) => text.toLowerCase().includes(part);
  }
  if (!isComparison(test)) return undefined;
  const [compare, bound] = [COMPARISONS[test], numberOf(value) as number];
  return (text) => {
    const number = numberOf(text);
    return number !== undefined && compare(number, bound);
  };
}

function testAttribute(columns: BlockColumns, filter: AttributeFilter): Test {
  const { key, test, value } = filter;
  const column = ATTRIBUTE_COLUMNS.get(key);
  const tested = textTest(filter);
  if (tested) {
    const find = column === undefined ? attributeOf(columns, key) : columnText(columns, column);
    return (row) => tested(find(row) ?? '');
  }
  if (column === undefined) {
    const find = attributeOf(columns, key);
    if (test === 'exists') return (row) => find(row) !== undefined;
    if (test === 'absent') return (row) => find(row) === undefined;
    if (test === 'equals') return (row) => find(row) === value;
    return (row) => find(row) !== value;
  }
  const text = columnText(columns, column);
  if (test === 'exists') return (row) => text(row) !== '';
  if (test === 'absent') return (row) => text(row) === '';
  if (test === 'equals') return (row) => text(row) === value;
  return (row) => text(row) !== value;
}

function testTexts(columns: BlockColumns, column: 'service' | 'name', names: readonly string[]): Test[] {
  if (names.length === 0) return [];
  const texts = columns.lows(column);
  const wanted = new Set(names.map((name) => texts.idOf(name)));
  return [(row) => wanted.has(texts.ids[row] as number)];
}

function testCodes(columns: BlockColumns, column: 'status' | 'kind', codes: readonly number[]): Test[] {
  if (codes.length === 0) return [];
  const numbers = columns.numbers(column);
  return [(row) => codes.includes(numbers[row] as number)];
}

function testDuration(columns: BlockColumns, { min_ms, max_ms }: TraceFilter): Test[] {
  if (min_ms === undefined && max_ms === undefined) return [];
  const durations = columns.wides('duration_ns');
  const least = min_ms === undefined ? 0n : BigInt(Math.round(min_ms * 1e6));
  const most = max_ms === undefined ? 2n ** 64n : BigInt(Math.round(max_ms * 1e6));
  return [(row) => (durations[row] as bigint) >= least && (durations[row] as bigint) <= most];
}

/** The same condition as `filterSql` makes, but for tenant and window; the cheap tests first. */
export function matcherOf(filter: TraceFilter): (columns: BlockColumns) => Test {
  const attributes = toList(filter.attribute).map(parseAttributeFilter);
  const statuses = toList(filter.status).map((name) => STATUS_NAMES.indexOf(name));
  const kinds = toList(filter.kind).map((name) => KIND_NAMES.indexOf(name));
  return (columns) => {
    const tests = [
      ...testTexts(columns, 'service', toList(filter.service)),
      ...testTexts(columns, 'name', toList(filter.operation)),
      ...testCodes(columns, 'status', statuses),
      ...testCodes(columns, 'kind', kinds),
      ...testDuration(columns, filter),
      ...attributes.map((wanted) => testAttribute(columns, wanted)),
    ];
    return (row) => tests.every((test) => test(row));
  };
}
