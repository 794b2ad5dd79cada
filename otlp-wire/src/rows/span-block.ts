import type { EncodedColumn } from '@svc/bytes';
import { AttributeViews, DictionaryView, FixedView, pointersAt, TextView } from './assembly/columns.ts';
import { assembly } from './assembly/instance.ts';
import { ArrayColumn, column } from './columns.ts';
import { Origin } from './origin.ts';
import type { RecordBlock } from './record-builder.ts';
import { SpanExtras } from './span-extras.ts';
import type { SpanFacts } from './span-facts.ts';
import type { WireReader } from './wire-reader.ts';

/** Of what `addSpan` tells: something was cut; it has links, or tells of entries that were dropped. */
const CUT = 1;
const HAS_EXTRAS = 2;

/** In the order of the fields of SpanBlock, and of Hot, in otlp-wire/assembly. */
const FIELDS = [
  'ts',
  'duration',
  'traceId',
  'spanId',
  'parentId',
  'traceState',
  'flags',
  'name',
  'kind',
  'status',
  'statusMessage',
  'attributes',
  'hot',
  'eventEnds',
  'eventTs',
  'eventNames',
  'eventAttributes',
] as const;
const HOT_FIELDS = ['method', 'route', 'status', 'db', 'rpc', 'peer'] as const;

/** Columns of the span block at this address, but for the spans' origin. */
function viewsOf(block: number): EncodedColumn[] {
  const at = pointersAt(block, FIELDS);
  const hot = pointersAt(at.hot, HOT_FIELDS);
  const ts = new FixedView(at.ts, 8);
  const attributes = new AttributeViews(at.attributes);
  const eventEnds = new FixedView(at.eventEnds, 8);
  const eventAttributes = new AttributeViews(at.eventAttributes);
  return [
    column('http_method', 'LowCardinality(String)', new DictionaryView(hot.method)),
    column('http_route', 'LowCardinality(String)', new DictionaryView(hot.route)),
    column('http_status', 'UInt16', new FixedView(hot.status, 2)),
    column('db_system', 'LowCardinality(String)', new DictionaryView(hot.db)),
    column('rpc_service', 'LowCardinality(String)', new DictionaryView(hot.rpc)),
    column('peer', 'LowCardinality(String)', new DictionaryView(hot.peer)),
    column('ts', 'DateTime64(9)', ts),
    column('duration_ns', 'UInt64', new FixedView(at.duration, 8)),
    column('trace_id', 'FixedString(16)', new FixedView(at.traceId, 16)),
    column('span_id', 'FixedString(8)', new FixedView(at.spanId, 8)),
    column('parent_id', 'FixedString(8)', new FixedView(at.parentId, 8)),
    column('trace_state', 'String', new TextView(at.traceState, ts)),
    column('flags', 'UInt32', new FixedView(at.flags, 4)),
    column('name', 'LowCardinality(String)', new DictionaryView(at.name)),
    column('kind', 'UInt8', new FixedView(at.kind, 1)),
    column('attributes', 'Map(LowCardinality(String), String)', attributes),
    column('attribute_types', 'LowCardinality(String)', attributes.types),
    column('status', 'UInt8', new FixedView(at.status, 1)),
    column('status_message', 'String', new TextView(at.statusMessage, ts)),
    column('event_ts', 'Array(DateTime64(9))', new ArrayColumn(new FixedView(at.eventTs, 8), eventEnds)),
    column('event_names', 'Array(LowCardinality(String))', new ArrayColumn(new DictionaryView(at.eventNames), eventEnds)),
    column('event_attributes', 'Array(Map(LowCardinality(String), String))', new ArrayColumn(eventAttributes, eventEnds)),
    column('event_attribute_types', 'Array(LowCardinality(String))', new ArrayColumn(eventAttributes.types, eventEnds)),
  ];
}

/** Rows of `spans` (clickhouse/migrations/0006, 0011 and 0015), most of which otlp-wire/assembly/rows/span.ts fills. */
export class SpanBlock implements RecordBlock<SpanFacts> {
  readonly table = 'spans';
  readonly origin = new Origin();
  private readonly at = assembly.newSpanBlock();
  private readonly extras = new SpanExtras();
  readonly columns = [...this.origin.columns(), ...viewsOf(this.at), column('extras', 'String', this.extras)];

  add(reader: WireReader, facts: SpanFacts): boolean {
    this.origin.addRow();
    const told = assembly.addSpan(this.at);
    const isCut = (told & CUT) !== 0;
    if ((told & HAS_EXTRAS) !== 0) return this.extras.addOf(reader, facts) || isCut;
    this.extras.addNothing();
    return isCut;
  }

  filled(): readonly EncodedColumn[] {
    const columns = this.origin.filled(this.columns);
    return this.extras.hasAny ? columns : columns.filter(({ values }) => values !== this.extras);
  }

  get bytes(): number {
    return this.origin.bytes + this.extras.sink.length + assembly.spanBlockBytes(this.at);
  }

  reset(): void {
    this.origin.reset();
    this.extras.reset();
    assembly.resetSpanBlock(this.at);
  }

  release(): void {
    assembly.freeSpanBlock(this.at);
  }
}
