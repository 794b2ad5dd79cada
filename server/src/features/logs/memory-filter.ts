import type { BlockColumns } from '#telemetry';
import { hasAllWords } from './domain/find-words.ts';
import type { Positions } from './domain/positions.ts';
import { parseSearchText } from './domain/search-text.ts';
import { type AttributeCondition, type LogFilter, parseAttributeTest } from './filter.ts';

type Test = (row: number) => boolean;

/** A record's own attribute hides the one of its resource. */
function testAttribute(columns: BlockColumns, { key, test, value }: AttributeCondition): Test {
  const [own, inherited] = [columns.maps('attributes'), columns.maps('resource')];
  const find = (row: number): string | undefined => own.find(row, key) ?? inherited.find(row, key);
  if (test === 'exists') return (row) => find(row) !== undefined;
  if (test === 'absent') return (row) => find(row) === undefined;
  return test === 'equals' ? (row) => find(row) === value : (row) => find(row) !== value;
}

function testText(columns: BlockColumns, text: string): Test[] {
  const terms = parseSearchText(text);
  const { tokens, parts, phrases } = terms;
  if (tokens.length + parts.length + phrases.length === 0) return [];
  const bodies = columns.texts('body');
  const wanted = phrases.map((phrase) => phrase.toLowerCase());
  return [
    (row) => {
      const body = bodies.at(row);
      if (!hasAllWords(body, terms)) return false;
      const lower = wanted.length > 0 ? body.toLowerCase() : '';
      return wanted.every((phrase) => lower.includes(phrase));
    },
  ];
}

/** The same condition as `filterSql` makes, but for tenant and window; the cheap tests first. */
export function matcherOf(filter: LogFilter): (columns: BlockColumns) => Test {
  const traceId = filter.trace_id && Buffer.from(filter.trace_id, 'hex');
  const attributes = (filter.attribute ?? []).map(parseAttributeTest);
  return (columns) => {
    const tests: Test[] = [];
    const { severity, service } = filter;
    if (service && service.length > 0) {
      const services = columns.lows('service');
      const wanted = new Set(service.map((name) => services.idOf(name)));
      tests.push((row) => wanted.has(services.ids[row] as number));
    }
    if (severity !== undefined) {
      const severities = columns.numbers('severity');
      tests.push((row) => (severities[row] as number) >= severity);
    }
    if (traceId) {
      const traces = columns.ids('trace_id');
      tests.push((row) => traces.is(row, traceId));
    }
    for (const condition of attributes) tests.push(testAttribute(columns, condition));
    tests.push(...testText(columns, filter.text ?? ''));
    return (row) => tests.every((test) => test(row));
  };
}

/** Whether a row stands on the bus at these offsets or beyond; a partition that was not seen before begins at 0. */
export function beyondOf(columns: BlockColumns, positions: Positions): Test {
  const [partitions, offsets] = [columns.numbers('bus_partition'), columns.wides('bus_offset')];
  return (row) => (offsets[row] as bigint) >= (positions.get(partitions[row] as number) ?? 0n);
}
