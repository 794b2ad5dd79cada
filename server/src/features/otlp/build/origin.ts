import { type EncodedColumn, newColumn } from '#telemetry';
import { entry, ResourceMap } from './attribute-map.ts';
import type { BuildMessage } from './builder.ts';
import { column, Dictionary } from './columns.ts';
import type { WireReader } from './wire-reader.ts';

const SERVICE_NAME = Buffer.from('service.name');

/** Fields of ResourceSpans and ResourceLogs, of their Resource and of InstrumentationScope. */
const ATTRIBUTE = 10;
const SCOPE_NAME = 10;
const SCOPE_VERSION = 18;

const isServiceName = (bytes: Buffer): boolean =>
  entry.keyEnd - entry.keyStart === SERVICE_NAME.length &&
  bytes.compare(SERVICE_NAME, 0, SERVICE_NAME.length, entry.keyStart, entry.keyEnd) === 0;

/** The columns that every record has: whose it is, where it comes from, and its place on the bus. Ids are made once a resource. */
export class Origin {
  rows = 0;
  private readonly tenant = new Dictionary();
  private readonly service = new Dictionary();
  private readonly resource = new ResourceMap();
  private readonly scope = new Dictionary();
  private readonly scopeVersion = new Dictionary();
  private readonly received = newColumn('DateTime64(3)');
  private readonly partitions = newColumn('UInt16');
  private readonly offsets = newColumn('UInt64');
  private message: BuildMessage | undefined;
  private tenantId = 0;
  private serviceId = 0;
  private scopeId = 0;
  private versionId = 0;

  beginMessage(message: BuildMessage): void {
    if (this.message === message) return;
    this.message = message;
    const tenant = Buffer.from(message.tenant);
    this.tenantId = this.tenant.intern(tenant, 0, tenant.length);
  }

  /** The Resource up to `end`; true when something of it was cut. */
  beginResource(reader: WireReader, end: number): boolean {
    this.resource.begin();
    this.serviceId = 0;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag !== ATTRIBUTE) reader.skip(tag, end);
      else if (this.resource.add(reader, reader.enter(end)) && isServiceName(reader.bytes)) {
        const { bytes, start, end: valueEnd } = this.resource.lastValue();
        this.serviceId = this.service.intern(bytes, start, valueEnd);
      }
    }
    return this.resource.complete();
  }

  /** The InstrumentationScope up to `end`. */
  beginScope(reader: WireReader, end: number): void {
    this.scopeId = this.versionId = 0;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag !== SCOPE_NAME && tag !== SCOPE_VERSION) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      if (tag === SCOPE_NAME) this.scopeId = this.scope.intern(reader.bytes, reader.at, stop);
      else this.versionId = this.scopeVersion.intern(reader.bytes, reader.at, stop);
      reader.at = stop;
    }
  }

  addRow(): void {
    const { message } = this;
    this.tenant.push(this.tenantId);
    this.service.push(this.serviceId);
    this.resource.addRow();
    this.scope.push(this.scopeId);
    this.scopeVersion.push(this.versionId);
    this.received.push(message?.at ?? 0);
    this.partitions.push(message?.partition ?? 0);
    this.offsets.pushHalves(message?.offsetLow ?? 0, message?.offsetHigh ?? 0);
    this.rows++;
  }

  reset(): void {
    for (const { values } of this.columns()) values.reset();
    this.message = undefined;
    this.rows = 0;
  }

  columns(): EncodedColumn[] {
    return [
      column('tenant_id', 'LowCardinality(String)', this.tenant),
      column('service', 'LowCardinality(String)', this.service),
      column('resource', 'Map(LowCardinality(String), LowCardinality(String))', this.resource),
      column('resource_types', 'LowCardinality(String)', this.resource.types),
      column('scope', 'LowCardinality(String)', this.scope),
      column('scope_version', 'LowCardinality(String)', this.scopeVersion),
      column('received', 'DateTime64(3)', this.received),
      column('bus_partition', 'UInt16', this.partitions),
      column('bus_offset', 'UInt64', this.offsets),
    ];
  }
}
