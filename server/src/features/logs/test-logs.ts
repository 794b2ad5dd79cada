import { encodeTestBlock } from '@svc/testkit/native-block';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** A record to be written; what is left out is empty. */
export interface TestLog {
  ts: bigint;
  body: string;
  service?: string;
  severity?: number;
  trace?: string;
  attributes?: Record<string, string>;
  resource?: Record<string, string>;
  flags?: number;
  scopeVersion?: string;
  origin?: string;
  partition?: number;
  offset?: number;
  row?: number;
}

const LOW = 'LowCardinality(String)';
const NO_ID = '';

/** Writes rows as the otlp slice would, each with its place on the bus. */
export async function writeLogs(
  store: Pick<ColumnStore, 'writeEncoded'>,
  tenant: TenantId,
  logs: readonly TestLog[],
): Promise<void> {
  const column = (name: string, type: string, of: (log: TestLog) => unknown) => ({ name, type, values: logs.map(of) });
  const block = encodeTestBlock('logs', [
    column('tenant_id', LOW, () => tenant),
    column('ts', 'DateTime64(9)', ({ ts }) => ts),
    column('observed_ts', 'DateTime64(9)', ({ ts }) => ts),
    column('trace_id', 'FixedString(16)', ({ trace }) => trace ?? NO_ID),
    column('span_id', 'FixedString(8)', () => NO_ID),
    column('severity', 'UInt8', ({ severity }) => severity ?? 9),
    column('severity_text', LOW, () => ''),
    column('event_name', LOW, () => ''),
    column('body', 'String', ({ body }) => body),
    column('body_type', LOW, () => 's'),
    column('service', LOW, ({ service }) => service ?? 'shop'),
    column('attributes', `Map(${LOW}, String)`, ({ attributes }) => Object.entries(attributes ?? {})),
    column('resource', `Map(${LOW}, ${LOW})`, ({ resource }) => Object.entries(resource ?? {})),
    column('flags', 'UInt32', ({ flags }) => flags ?? 0),
    column('scope', LOW, () => ''),
    column('scope_version', LOW, ({ scopeVersion }) => scopeVersion ?? ''),
    // Left out where no record has any, as the otlp slice does.
    ...(logs.some(({ origin }) => origin) ? [column('origin', LOW, ({ origin }) => origin ?? '')] : []),
    column('dropped', 'UInt32', () => 0),
    column('bus_partition', 'UInt16', ({ partition }) => partition ?? 0),
    column('bus_offset', 'UInt64', ({ offset }) => offset ?? 0),
    column('row', 'UInt32', ({ row }) => row ?? 0),
  ]);
  await store.writeEncoded(block);
}
