import { ByteSink } from '@svc/bytes';
import { type EntityRef, formatOriginNotes, type OriginNotes } from '@svc/contracts/otlp/origin-notes';
import {
  ENTITY_REF_DESCRIPTION_KEYS,
  ENTITY_REF_ID_KEYS,
  ENTITY_REF_SCHEMA_URL,
  ENTITY_REF_TYPE,
  INSTRUMENTATION_SCOPE_ATTRIBUTES,
  INSTRUMENTATION_SCOPE_DROPPED_ATTRIBUTES_COUNT,
  METRIC_METADATA,
  RESOURCE_DROPPED_ATTRIBUTES_COUNT,
  RESOURCE_ENTITY_REFS,
} from '../generated/tags.ts';
import { cutText, MAX_VALUE_BYTES } from './any-value.ts';
import { AttributeList, given } from './attribute-list.ts';
import { MAX_ATTRIBUTES } from './attribute-map.ts';
import { WireReader } from './wire-reader.ts';

/** Where a part of a message lies. */
export interface Part {
  start: number;
  end: number;
}

/** Tags of the message that is gathered, which is our own and never leaves this thread. */
const [RESOURCE_DROPPED, ENTITY, RESOURCE_SCHEMA, SCOPE_ATTRIBUTE, SCOPE_DROPPED, SCOPE_SCHEMA, METADATA] = [
  16, 26, 34, 42, 48, 58, 66,
];
/** What is noted of Resource, InstrumentationScope and Metric, each with the tag that it is gathered under. */
const OF_RESOURCE: Readonly<Record<number, number>> = {
  [RESOURCE_DROPPED_ATTRIBUTES_COUNT]: RESOURCE_DROPPED,
  [RESOURCE_ENTITY_REFS]: ENTITY,
};
const OF_SCOPE: Readonly<Record<number, number>> = {
  [INSTRUMENTATION_SCOPE_ATTRIBUTES]: SCOPE_ATTRIBUTE,
  [INSTRUMENTATION_SCOPE_DROPPED_ATTRIBUTES_COUNT]: SCOPE_DROPPED,
};
const OF_METRIC: Readonly<Record<number, number>> = { [METRIC_METADATA]: METADATA };
const ENTITY_TEXTS: Readonly<Record<number, 'schemaUrl' | 'type'>> = {
  [ENTITY_REF_SCHEMA_URL]: 'schemaUrl',
  [ENTITY_REF_TYPE]: 'type',
};
const ENTITY_LISTS: Readonly<Record<number, 'idKeys' | 'descriptionKeys'>> = {
  [ENTITY_REF_ID_KEYS]: 'idKeys',
  [ENTITY_REF_DESCRIPTION_KEYS]: 'descriptionKeys',
};

/**
 * Gathers what is noted of a resource and a scope as bytes of a message of its own. They are alike from request to request, so the text
 * that is made of them is made once; nearly always there is none.
 */
export class OriginGatherer {
  private readonly sink = new ByteSink(256);
  private resourceEnd = 0;

  /** Nothing, where nothing was said. */
  get bytes(): Buffer {
    return this.sink.bytes;
  }

  get length(): number {
    return this.sink.length;
  }

  beginResource(): void {
    this.sink.reset();
  }

  /** The fields of a Resource other than its attributes come one by one through here, then `endResource`. */
  resourceField(reader: WireReader, tag: number, end: number): void {
    this.keep(reader, { tag, end, as: OF_RESOURCE[tag] });
  }

  endResource(reader: WireReader, schema: Part): void {
    this.keepText(reader, RESOURCE_SCHEMA, schema);
    this.resourceEnd = this.sink.length;
  }

  /** A scope of the same resource. */
  beginScope(): void {
    this.sink.length = this.resourceEnd;
  }

  scopeField(reader: WireReader, tag: number, end: number): void {
    this.keep(reader, { tag, end, as: OF_SCOPE[tag] });
  }

  endScope(reader: WireReader, schema: Part): void {
    this.keepText(reader, SCOPE_SCHEMA, schema);
  }

  metricField(reader: WireReader, tag: number, end: number): void {
    this.keep(reader, { tag, end, as: OF_METRIC[tag] });
  }

  private keep(reader: WireReader, { tag, end, as }: { tag: number; end: number; as: number | undefined }): void {
    const from = reader.at;
    reader.skip(tag, end);
    if (as === undefined) return;
    this.sink.uint8(as);
    this.sink.copy(reader.bytes, from, reader.at);
  }

  private keepText(reader: WireReader, as: number, { start, end }: Part): void {
    if (end === start) return;
    this.sink.uint8(as);
    this.sink.varint(end - start);
    this.sink.copy(reader.bytes, start, end);
  }
}

function readEntity(reader: WireReader, end: number): EntityRef {
  const entity: EntityRef = {};
  while (reader.at < end) {
    const tag = reader.varint();
    const [text, list] = [ENTITY_TEXTS[tag], ENTITY_LISTS[tag]];
    if (text === undefined && list === undefined) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    const value = reader.bytes.toString('utf8', reader.at, stop);
    reader.at = stop;
    if (text) entity[text] = value;
    else if (list) entity[list] = [...(entity[list] ?? []), value];
  }
  return entity;
}

/** Reads what a gatherer has gathered. */
class NotesReader {
  cut = false;
  private readonly scope = new AttributeList();
  private readonly metadata = new AttributeList();
  private readonly entities: EntityRef[] = [];
  private readonly dropped = { resource: 0, scope: 0 };
  private readonly schema = { resource: '', scope: '' };
  private readonly reader = new WireReader();

  read(bytes: Buffer): OriginNotes {
    const { reader } = this;
    reader.open(bytes);
    while (reader.at < bytes.length) this.readField(reader.varint(), bytes.length);
    this.cut ||= this.scope.cut || this.metadata.cut;
    if (this.cut) this.scope.mark();
    const { dropped, schema, entities } = this;
    return (
      given({
        resource: given({
          schemaUrl: schema.resource,
          droppedAttributesCount: dropped.resource,
          entityRefs: entities.length > 0 ? entities : undefined,
        }),
        scope: given({ schemaUrl: schema.scope, droppedAttributesCount: dropped.scope, attributes: this.scope.take() }),
        metadata: this.metadata.take(),
      } as OriginNotes) ?? {}
    );
  }

  private readField(tag: number, all: number): void {
    const { reader } = this;
    if (tag === RESOURCE_DROPPED) this.dropped.resource = reader.varint();
    else if (tag === SCOPE_DROPPED) this.dropped.scope = reader.varint();
    else {
      const end = reader.enter(all);
      if (tag === SCOPE_ATTRIBUTE) this.scope.add(reader, end);
      else if (tag === METADATA) this.metadata.add(reader, end);
      else if (tag === RESOURCE_SCHEMA) this.schema.resource = this.readText(end);
      else if (tag === SCOPE_SCHEMA) this.schema.scope = this.readText(end);
      else if (tag === ENTITY) this.addEntity(end);
      reader.at = end;
    }
  }

  private readText(end: number): string {
    const { bytes, at } = this.reader;
    if (end - at <= MAX_VALUE_BYTES) return bytes.toString('utf8', at, end);
    this.cut = true;
    return bytes.toString('utf8', at, cutText(bytes, at, MAX_VALUE_BYTES));
  }

  /** An entity that is too long for a value is left out whole: half of its keys would name another one. */
  private addEntity(end: number): void {
    if (end - this.reader.at > MAX_VALUE_BYTES || this.entities.length >= MAX_ATTRIBUTES) this.cut = true;
    else this.entities.push(readEntity(this.reader, end));
  }
}

/** The text of column `origin` for what was gathered, '' for nothing; `cut` when something was beyond the bounds of a record. */
export function describeOrigin({ bytes, length }: OriginGatherer): { text: string; cut: boolean } {
  if (length === 0) return { text: '', cut: false };
  const reader = new NotesReader();
  const text = formatOriginNotes(reader.read(bytes.subarray(0, length)));
  return { text, cut: reader.cut };
}
