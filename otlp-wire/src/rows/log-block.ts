import type { EncodedColumn } from '@svc/bytes';
import { AttributeViews, DictionaryView, FixedView, pointersAt, TextView } from './assembly/columns.ts';
import { assembly } from './assembly/instance.ts';
import { column } from './columns.ts';
import type { LogFacts } from './log-facts.ts';
import { Origin } from './origin.ts';
import type { RecordBlock } from './record-builder.ts';
import type { WireReader } from './wire-reader.ts';

const CUT = 1;

/** In the order of the fields of LogBlock in otlp-wire/assembly/rows/log.ts. */
const FIELDS = [
  'ts',
  'observed',
  'traceId',
  'spanId',
  'flags',
  'severity',
  'severityText',
  'eventName',
  'body',
  'bodyType',
  'dropped',
  'row',
  'attributes',
] as const;

/** Columns of the log block at this address, but for the records' origin. */
function viewsOf(block: number): EncodedColumn[] {
  const at = pointersAt(block, FIELDS);
  const ts = new FixedView(at.ts, 8);
  const attributes = new AttributeViews(at.attributes);
  return [
    column('ts', 'DateTime64(9)', ts),
    column('observed_ts', 'DateTime64(9)', new FixedView(at.observed, 8)),
    column('trace_id', 'FixedString(16)', new FixedView(at.traceId, 16)),
    column('span_id', 'FixedString(8)', new FixedView(at.spanId, 8)),
    column('flags', 'UInt32', new FixedView(at.flags, 4)),
    column('severity', 'UInt8', new FixedView(at.severity, 1)),
    column('severity_text', 'LowCardinality(String)', new DictionaryView(at.severityText)),
    column('event_name', 'LowCardinality(String)', new DictionaryView(at.eventName)),
    column('body', 'String', new TextView(at.body, ts)),
    column('body_type', 'LowCardinality(String)', new DictionaryView(at.bodyType)),
    column('attributes', 'Map(LowCardinality(String), String)', attributes),
    column('attribute_types', 'LowCardinality(String)', attributes.types),
    column('dropped', 'UInt32', new FixedView(at.dropped, 4)),
    column('row', 'UInt32', new FixedView(at.row, 4)),
  ];
}

/** Rows of `logs` (clickhouse/migrations/0007), most of which otlp-wire/assembly/rows/log.ts fills. */
export class LogBlock implements RecordBlock<LogFacts> {
  readonly table = 'logs';
  readonly origin = new Origin();
  private readonly at = assembly.newLogBlock();
  readonly columns = [...this.origin.columns(), ...viewsOf(this.at)];

  add(_reader: WireReader, { row, received }: LogFacts): boolean {
    this.origin.addRow();
    return assembly.addLog(this.at, row, received) === CUT;
  }

  filled(): readonly EncodedColumn[] {
    return this.origin.filled(this.columns);
  }

  get bytes(): number {
    return this.origin.bytes + assembly.logBlockBytes(this.at);
  }

  reset(): void {
    this.origin.reset();
    assembly.resetLogBlock(this.at);
  }

  release(): void {
    assembly.freeLogBlock(this.at);
  }
}
