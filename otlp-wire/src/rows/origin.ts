import { type EncodedColumn, newColumn } from '@svc/bytes';
import {
  RESOURCE_ATTRIBUTES as ATTRIBUTE,
  INSTRUMENTATION_SCOPE_NAME as SCOPE_NAME,
  INSTRUMENTATION_SCOPE_VERSION as SCOPE_VERSION,
} from '../generated/tags.ts';
import { entry, ResourceMap } from './attribute-map.ts';
import type { BuildMessage } from './builder.ts';
import { column } from './columns.ts';
import { Dictionary } from './dictionary.ts';
import { describeOrigin, OriginGatherer, type Part } from './origin-notes.ts';
import type { WireReader } from './wire-reader.ts';

const SERVICE_NAME = Buffer.from('service.name');

/** A row of the columns that are not its resource: four ids and three numbers. */
const ROW_BYTES = 34;

const isServiceName = (bytes: Buffer): boolean =>
  entry.keyEnd - entry.keyStart === SERVICE_NAME.length &&
  bytes.compare(SERVICE_NAME, 0, SERVICE_NAME.length, entry.keyStart, entry.keyEnd) === 0;

/**
 * The columns that every record has: whose it is, where it comes from, and its place on the bus. Ids are made once a resource, and written for all
 * rows that have them one behind the other at once.
 */
export class Origin {
  rows = 0;
  /** Rows that are counted and not yet written. */
  private run = 0;
  private readonly tenant = new Dictionary();
  private readonly service = new Dictionary();
  private readonly resource = new ResourceMap();
  private readonly scope = new Dictionary();
  private readonly scopeVersion = new Dictionary();
  private readonly notes = new Dictionary();
  private readonly gathered = new OriginGatherer();
  /** What was gathered before, and the id of its text. */
  private readonly known = new Dictionary();
  private readonly knownNotes: number[] = [];
  private readonly received = newColumn('DateTime64(3)');
  private readonly partitions = newColumn('UInt16');
  private readonly offsets = newColumn('UInt64');
  private message: BuildMessage | undefined;
  private tenantId = 0;
  private serviceId = 0;
  private scopeId = 0;
  private versionId = 0;
  private notesId = 0;

  beginMessage(message: BuildMessage): void {
    if (this.message === message) return;
    this.writeRun();
    this.message = message;
    const tenant = Buffer.from(message.tenant);
    this.tenantId = this.tenant.intern(tenant, 0, tenant.length);
  }

  /** What the columns hold, rows that are not written yet included. */
  get bytes(): number {
    const entries = this.resource.bytes + this.run * this.resource.rowBytes;
    return entries + this.known.bytes + this.notes.bytes + this.rows * ROW_BYTES;
  }

  /** All rows are written; without the column of notes where no record has any. */
  filled(columns: readonly EncodedColumn[]): readonly EncodedColumn[] {
    this.writeRun();
    return this.notes.size > 1 ? columns : columns.filter(({ values }) => values !== this.notes);
  }

  /** The Resource at the reader up to `end`; true when something of it was cut. */
  beginResource(reader: WireReader, end: number, schema: Part): boolean {
    this.writeRun();
    this.resource.begin();
    this.gathered.beginResource();
    this.serviceId = 0;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag !== ATTRIBUTE) this.gathered.resourceField(reader, tag, end);
      else if (this.resource.add(reader, reader.enter(end)) && isServiceName(reader.bytes)) {
        const { bytes, start, end: valueEnd } = this.resource.lastValue();
        this.serviceId = this.service.intern(bytes, start, valueEnd);
      }
    }
    this.gathered.endResource(reader, schema);
    return this.resource.complete();
  }

  /** The InstrumentationScope at the reader up to `end`; true when something was cut. */
  beginScope(reader: WireReader, end: number, schema: Part): boolean {
    this.writeRun();
    this.scopeId = this.versionId = 0;
    this.gathered.beginScope();
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag !== SCOPE_NAME && tag !== SCOPE_VERSION) {
        this.gathered.scopeField(reader, tag, end);
        continue;
      }
      const stop = reader.enter(end);
      if (tag === SCOPE_NAME) this.scopeId = this.scope.intern(reader.bytes, reader.at, stop);
      else this.versionId = this.scopeVersion.intern(reader.bytes, reader.at, stop);
      reader.at = stop;
    }
    this.gathered.endScope(reader, schema);
    return this.note();
  }

  /** Chooses the notes of the records to come; true when something was cut. */
  private note(): boolean {
    const { gathered, known, notes } = this;
    this.notesId = 0;
    if (gathered.length === 0) return false;
    const id = known.intern(gathered.bytes, 0, gathered.length);
    const before = this.knownNotes[id];
    if (before !== undefined) {
      this.notesId = before;
      return false;
    }
    const { text, cut } = describeOrigin(gathered);
    const bytes = Buffer.from(text);
    this.notesId = notes.intern(bytes, 0, bytes.length);
    this.knownNotes[id] = this.notesId;
    return cut;
  }

  addRow(): void {
    this.rows++;
    this.run++;
  }

  private writeRun(): void {
    const { run, message } = this;
    if (run === 0 || message === undefined) return;
    this.run = 0;
    this.tenant.pushRun(this.tenantId, run);
    this.service.pushRun(this.serviceId, run);
    this.resource.addRows(run);
    this.scope.pushRun(this.scopeId, run);
    this.scopeVersion.pushRun(this.versionId, run);
    this.notes.pushRun(this.notesId, run);
    const { at, partition, offsetLow, offsetHigh } = message;
    for (let i = 0; i < run; i++) {
      this.received.push(at);
      this.partitions.push(partition);
      this.offsets.pushHalves(offsetLow, offsetHigh);
    }
  }

  reset(): void {
    for (const { values } of this.columns()) values.reset();
    this.known.reset();
    this.knownNotes.length = 0;
    this.message = undefined;
    this.rows = 0;
    this.run = 0;
  }

  columns(): EncodedColumn[] {
    return [
      column('tenant_id', 'LowCardinality(String)', this.tenant),
      column('service', 'LowCardinality(String)', this.service),
      column('resource', 'Map(LowCardinality(String), LowCardinality(String))', this.resource),
      column('resource_types', 'LowCardinality(String)', this.resource.types),
      column('scope', 'LowCardinality(String)', this.scope),
      column('scope_version', 'LowCardinality(String)', this.scopeVersion),
      column('origin', 'LowCardinality(String)', this.notes),
      column('received', 'DateTime64(3)', this.received),
      column('bus_partition', 'UInt16', this.partitions),
      column('bus_offset', 'UInt64', this.offsets),
    ];
  }
}
