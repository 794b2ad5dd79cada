import type { WrittenExtras } from '@svc/contracts/otlp/span-extras';
import { encodeTestBlock } from '@svc/testkit/native-block';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** A span to be written; what is left out is empty. Times in nanoseconds. */
export interface TestSpan {
  trace: string;
  id: string;
  parent?: string;
  at: bigint;
  duration: number;
  name?: string;
  service?: string;
  kind?: number;
  status?: number;
  route?: string;
  httpStatus?: number;
  attributes?: Record<string, string>;
  types?: string;
  resource?: Record<string, string>;
  events?: { at: bigint; name: string; attributes: Record<string, string> }[];
  links?: { trace: string; span: string }[];
}

const LOW = 'LowCardinality(String)';
const MAPS = `Map(${LOW}, String)`;
const NONE = '';

const entriesOf = (map: Record<string, string> = {}): [string, string][] => Object.entries(map);
const lettersOf = (map: Record<string, string> = {}): string => 's'.repeat(Object.keys(map).length);

const extrasOf = (extras: WrittenExtras): string => (extras.links?.length ? JSON.stringify(extras) : '');

/** Writes rows as the otlp slice would. */
export async function writeSpans(
  store: Pick<ColumnStore, 'writeEncoded'>,
  tenant: TenantId,
  spans: readonly TestSpan[],
): Promise<void> {
  const column = (name: string, type: string, of: (span: TestSpan) => unknown) => ({ name, type, values: spans.map(of) });
  const empty = ['scope', 'scope_version', 'http_method', 'db_system', 'rpc_service', 'peer'];
  const block = encodeTestBlock('spans', [
    column('tenant_id', LOW, () => tenant),
    column('ts', 'DateTime64(9)', ({ at }) => at),
    column('duration_ns', 'UInt64', ({ duration }) => duration),
    column('trace_id', 'FixedString(16)', ({ trace }) => trace),
    column('span_id', 'FixedString(8)', ({ id }) => id),
    column('parent_id', 'FixedString(8)', ({ parent }) => parent ?? NONE),
    column('trace_state', 'String', () => ''),
    column('flags', 'UInt32', () => 0),
    column('name', LOW, ({ name }) => name ?? 'GET /'),
    column('kind', 'UInt8', ({ kind }) => kind ?? 1),
    column('service', LOW, ({ service }) => service ?? 'shop'),
    column('status', 'UInt8', ({ status }) => status ?? 0),
    column('status_message', 'String', () => ''),
    column('http_route', LOW, ({ route }) => route ?? ''),
    column('http_status', 'UInt16', ({ httpStatus }) => httpStatus ?? 0),
    ...empty.map((name) => column(name, LOW, () => '')),
    column('attributes', MAPS, ({ attributes }) => entriesOf(attributes)),
    column('attribute_types', LOW, ({ attributes, types }) => types ?? lettersOf(attributes)),
    column('resource', `Map(${LOW}, ${LOW})`, ({ resource }) => entriesOf(resource)),
    column('resource_types', LOW, ({ resource }) => lettersOf(resource)),
    column('event_ts', 'Array(DateTime64(9))', ({ events = [] }) => events.map(({ at }) => at)),
    column('event_names', `Array(${LOW})`, ({ events = [] }) => events.map(({ name }) => name)),
    column('event_attributes', `Array(${MAPS})`, ({ events = [] }) => events.map(({ attributes }) => entriesOf(attributes))),
    column('event_attribute_types', `Array(${LOW})`, ({ events = [] }) => events.map(({ attributes }) => lettersOf(attributes))),
    column('extras', 'String', ({ links = [] }) =>
      extrasOf({ links: links.map(({ trace, span }) => ({ traceId: trace, spanId: span })) }),
    ),
    column('received', 'DateTime64(3)', () => 0),
    column('bus_partition', 'UInt16', () => 0),
    column('bus_offset', 'UInt64', () => 0),
  ]);
  await store.writeEncoded(block);
}

export interface TestLine {
  at: bigint;
  trace: string;
  span?: string;
  body: string;
}

/** Lines that were logged within a trace. */
export async function writeLines(
  store: Pick<ColumnStore, 'writeEncoded'>,
  tenant: TenantId,
  lines: readonly TestLine[],
): Promise<void> {
  const column = (name: string, type: string, of: (line: TestLine, i: number) => unknown) => ({
    name,
    type,
    values: lines.map(of),
  });
  const block = encodeTestBlock('logs', [
    column('tenant_id', LOW, () => tenant),
    column('ts', 'DateTime64(9)', ({ at }) => at),
    column('trace_id', 'FixedString(16)', ({ trace }) => trace),
    column('span_id', 'FixedString(8)', ({ span }) => span ?? NONE),
    column('severity', 'UInt8', () => 13),
    column('severity_text', LOW, () => 'WARN'),
    column('body', 'String', ({ body }) => body),
    column('service', LOW, () => 'stock'),
    column('bus_partition', 'UInt16', () => 0),
    column('bus_offset', 'UInt64', () => 0),
    column('row', 'UInt32', (_, i) => i),
  ]);
  await store.writeEncoded(block);
}
