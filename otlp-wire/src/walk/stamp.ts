import {
  ANY_VALUE_STRING_VALUE,
  KEY_VALUE_KEY,
  KEY_VALUE_VALUE,
  RESOURCE_ATTRIBUTES,
  RESOURCE_SPANS_RESOURCE,
} from '../generated/tags.ts';
import { sizeOfVarint, writeVarint } from './varint.ts';

/** Numbers of one edit: where the length of the ResourceX stands, its start and end; the same of its Resource (-1 without); where to insert. */
export const EDIT_NUMBERS = 7;

const KEY = 'svc.tenant.id';

/** Resource.attributes with the tenant, as a whole field. */
function encodeTenant(tenant: Buffer): Buffer {
  const key = Buffer.from(KEY);
  const valueLength = 1 + sizeOfVarint(tenant.length) + tenant.length;
  const pairLength = 2 + key.length + 1 + sizeOfVarint(valueLength) + valueLength;
  const out = Buffer.allocUnsafe(1 + sizeOfVarint(pairLength) + pairLength);
  let p = writeVarint(out, pairLength, out.writeUInt8(RESOURCE_ATTRIBUTES, 0));
  p = writeVarint(out, key.length, out.writeUInt8(KEY_VALUE_KEY, p));
  p += key.copy(out, p);
  p = writeVarint(out, valueLength, out.writeUInt8(KEY_VALUE_VALUE, p));
  p = writeVarint(out, tenant.length, out.writeUInt8(ANY_VALUE_STRING_VALUE, p));
  tenant.copy(out, p);
  return out;
}

let lastTenant: Buffer = Buffer.alloc(0);
let lastAttribute = encodeTenant(lastTenant);

/** Of one sender come many requests. */
function attributeOf(tenant: Buffer): Buffer {
  if (tenant !== lastTenant) {
    lastTenant = tenant;
    lastAttribute = encodeTenant(tenant);
  }
  return lastAttribute;
}

/** What one edit makes of the two lengths. */
function measure(edits: Int32Array, i: number, added: number) {
  const at = (place: number): number => edits[i + place] as number;
  const [lengthAt, start, end] = [at(0), at(1), at(2)];
  const [resourceLengthAt, resourceStart, resourceEnd, insertAt] = [at(3), at(4), at(5), at(6)];
  const hasResource = resourceLengthAt >= 0;
  const resourceLength = (hasResource ? resourceEnd - resourceStart : 0) + added;
  const inner = sizeOfVarint(resourceLength) + added + (hasResource ? resourceLengthAt - resourceStart : 1);
  const length = end - start + inner;
  return {
    lengthAt,
    start,
    hasResource,
    resourceLengthAt,
    resourceStart,
    insertAt,
    resourceLength,
    length,
    growth: inner + sizeOfVarint(length) - (start - lengthAt),
  };
}

export interface Stamp {
  edits: Int32Array;
  tenant: Buffer;
  allocate: (bytes: number) => Buffer;
  /** Bytes before the first one, in the same memory, that may be written. */
  room: number;
}

/**
 * In place where it fits into the room: what stands before the last stamp moves towards the front. Nothing is written over before it was
 * read, since a stamp is longer than what two lengths of five bytes can lose. Else a new buffer, in memory that `allocate` gives.
 */
export function stampTenant(bytes: Buffer, { edits, tenant, allocate, room }: Stamp): Buffer {
  const attribute = attributeOf(tenant);
  let growth = 0;
  for (let i = 0; i < edits.length; i += EDIT_NUMBERS) growth += measure(edits, i, attribute.length).growth;
  const size = bytes.length + growth;
  const isInPlace = growth <= room;
  const out = isInPlace ? Buffer.from(bytes.buffer, bytes.byteOffset - growth, size) : allocate(size);
  let from = 0;
  let p = 0;
  for (let i = 0; i < edits.length; i += EDIT_NUMBERS) {
    const edit = measure(edits, i, attribute.length);
    p += bytes.copy(out, p, from, edit.lengthAt);
    p = writeVarint(out, edit.length, p);
    if (edit.hasResource) {
      p += bytes.copy(out, p, edit.start, edit.resourceLengthAt);
      p = writeVarint(out, edit.resourceLength, p);
      p += bytes.copy(out, p, edit.resourceStart, edit.insertAt);
      from = edit.insertAt;
    } else {
      p = writeVarint(out, edit.resourceLength, out.writeUInt8(RESOURCE_SPANS_RESOURCE, p));
      from = edit.start;
    }
    p += attribute.copy(out, p);
  }
  if (!isInPlace) bytes.copy(out, p, from);
  return out;
}
