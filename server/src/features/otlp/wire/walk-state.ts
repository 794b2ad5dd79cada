import { OtlpFault } from './fault.ts';
import { isUtf8 } from './utf8.ts';

/** Nested messages, the request itself being the first. Below the 100 at which other parsers give up. */
export const MAX_DEPTH = 64;
/** So that stamping makes no large request out of a flood of empty resources. */
const MAX_RESOURCES = 65_536;

const tenantKey = Buffer.from('svc.tenant.id');

const FIELD_MASK = 7;

/** What the generated functions share while one request is walked; one is kept, so that its shape stays known to the compiler. */
export class WalkState {
  bytes: Buffer = Buffer.alloc(0);
  /** The same bytes, to be looked at four at a time. */
  words = new DataView(new ArrayBuffer(0)) as DataView;
  tenant: Buffer = Buffer.alloc(0);
  nowMs = 0;
  oldestMs = 0;
  newestMs = 0;
  /** Where a function that read a varint stopped. */
  pos = 0;
  items = 0;
  rejected = 0;
  minTs = Number.POSITIVE_INFINITY;
  maxTs = Number.NEGATIVE_INFINITY;
  resources = 0;
  /** Seven numbers for each resource to stamp: see stamp.ts. */
  readonly edits: number[] = [];
  private lengthAt = 0;
  private start = 0;
  private resourceLengthAt = -1;
  private resourceStart = 0;
  private resourceEnd = 0;
  private insertAt = 0;
  private hasTenant = false;

  /** The varint of 32 bits that begins at p; `pos` is what follows it. */
  readLong(p: number, end: number): number {
    const { bytes } = this;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      if (p >= end) this.truncated();
      const byte = bytes[p++] as number;
      if (shift === 28 && byte > 15) this.malformed('a tag or length is over 32 bits');
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    this.pos = p;
    return value >>> 0;
  }

  /** The place after the varint of 64 bits at p. */
  skipVarint(p: number, end: number): number {
    const { bytes } = this;
    for (let count = 1; ; count += 1) {
      if (p >= end) this.truncated();
      const byte = bytes[p++] as number;
      if (count === 10 && byte > 1) this.malformed('a varint is over 64 bits');
      if (byte < 128) return p;
    }
  }

  /** The place after an unknown field whose tag ended at p, maybe over the end: each message checks its own. OTLP never had groups. */
  skip(tag: number, p: number, end: number): number {
    if (tag >>> 3 === 0) this.malformed('a field has the number 0');
    const wireType = tag & FIELD_MASK;
    if (wireType === 0) return this.skipVarint(p, end);
    let length = wireType === 1 ? 8 : 4;
    if (wireType === 2) {
      length = this.readLong(p, end);
      p = this.pos;
    } else if (wireType !== 1 && wireType !== 5) this.malformed('a field has a wire type that OTLP does not use');
    return p + length;
  }

  readFixed64(p: number): number {
    const { bytes } = this;
    const low =
      (bytes[p] as number) |
      ((bytes[p + 1] as number) << 8) |
      ((bytes[p + 2] as number) << 16) |
      ((bytes[p + 3] as number) << 24);
    const high =
      (bytes[p + 4] as number) |
      ((bytes[p + 5] as number) << 8) |
      ((bytes[p + 6] as number) << 16) |
      ((bytes[p + 7] as number) << 24);
    return (high >>> 0) * 4_294_967_296 + (low >>> 0);
  }

  /** Unix nanoseconds of a span's start, a log record (0 without any) or a point. */
  countItem(timeNs: number): void {
    this.items += 1;
    const ms = timeNs / 1e6;
    if (ms >= this.oldestMs && ms <= this.newestMs) {
      if (ms < this.minTs) this.minTs = ms;
      if (ms > this.maxTs) this.maxTs = ms;
    } else this.rejected += 1;
  }

  /** A ResourceSpans, ResourceLogs or ResourceMetrics begins; its length stands at lengthAt. */
  openResource(lengthAt: number, start: number): void {
    this.lengthAt = lengthAt;
    this.start = start;
    this.resourceLengthAt = -1;
    this.hasTenant = false;
    this.resources += 1;
    if (this.resources > MAX_RESOURCES) throw new OtlpFault('too_large', `A request has over ${MAX_RESOURCES} resources.`);
  }

  closeResource(end: number): void {
    if (this.hasTenant) return;
    this.edits.push(this.lengthAt, this.start, end, this.resourceLengthAt, this.resourceStart, this.resourceEnd, this.insertAt);
  }

  /** The Resource within it. A second one would be merged into the first by some readers and replace it for others. */
  takeResource(lengthAt: number, start: number, end: number): void {
    if (this.resourceLengthAt >= 0) this.ambiguous('gives its Resource twice');
    this.resourceLengthAt = lengthAt;
    this.resourceStart = start;
    this.resourceEnd = end;
    this.insertAt = start;
  }

  /** A KeyValue of a Resource, before it is walked itself. */
  takeResourceAttribute(p: number, end: number): void {
    const { bytes } = this;
    this.insertAt = end;
    let keys = 0;
    let values = 0;
    let isTenant = false;
    let valueStart = 0;
    let valueEnd = 0;
    while (p < end) {
      const tag = this.readLong(p, end);
      p = this.pos;
      if (tag !== 10 && tag !== 18) {
        p = this.skip(tag, p, end);
        continue;
      }
      const length = this.readLong(p, end);
      p = this.pos;
      if (p + length > end) this.truncated();
      if (tag === 10) {
        keys += 1;
        if (length === tenantKey.length && holdsAt(bytes, p, tenantKey)) isTenant = true;
      } else {
        values += 1;
        valueStart = p;
        valueEnd = p + length;
      }
      p += length;
    }
    if (!isTenant) return;
    if (this.hasTenant || keys > 1 || values > 1) this.ambiguous('gives svc.tenant.id twice');
    this.hasTenant = true;
    if (values === 0 || !this.isOwnTenant(valueStart, valueEnd)) {
      const index = this.resources - 1;
      throw new OtlpFault(
        'wrong_tenant',
        `The resource at index ${index} names a tenant in svc.tenant.id that is not the token's.`,
        index,
      );
    }
  }

  /** Whether an AnyValue is the tenant as one plain string. */
  private isOwnTenant(p: number, end: number): boolean {
    const { bytes, tenant } = this;
    if (p >= end || bytes[p] !== 10) return false;
    const length = this.readLong(p + 1, end);
    return length === tenant.length && this.pos + length === end && holdsAt(bytes, this.pos, tenant);
  }

  checkUtf8(p: number, end: number, field: string): void {
    if (!isUtf8(this.bytes, p, end)) this.malformed(`${field} is not UTF-8`);
  }

  wrongWireType(field: string): never {
    this.malformed(`${field} has the wrong wire type`);
  }

  wrongLength(field: string): never {
    this.malformed(`${field} has a length that it cannot have`);
  }

  twoKinds(field: string): never {
    this.malformed(`${field} is given in two kinds`);
  }

  tooDeep(): never {
    throw new OtlpFault('too_deep', `A value is nested over ${MAX_DEPTH} messages deep.`, this.resourceIndex());
  }

  truncated(): never {
    this.malformed('a field is cut off or reaches over the end of its message');
  }

  malformed(what: string): never {
    throw new OtlpFault('malformed', `The request is not OTLP: ${what}.`, this.resourceIndex());
  }

  private ambiguous(what: string): never {
    const index = this.resources - 1;
    throw new OtlpFault('ambiguous_tenant', `The resource at index ${index} ${what}.`, index);
  }

  private resourceIndex(): number | undefined {
    return this.resources > 0 ? this.resources - 1 : undefined;
  }
}

function holdsAt(bytes: Buffer, p: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i += 1) if (bytes[p + i] !== expected[i]) return false;
  return true;
}
