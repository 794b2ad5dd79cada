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
  let p = writeVarint(out, pairLength, out.writeUInt8(10, 0));
  p = writeVarint(out, key.length, out.writeUInt8(10, p));
  p += key.copy(out, p);
  p = writeVarint(out, valueLength, out.writeUInt8(18, p));
  p = writeVarint(out, tenant.length, out.writeUInt8(10, p));
  tenant.copy(out, p);
  return out;
}

/** What one edit makes of the two lengths. */
function measure(edits: readonly number[], i: number, added: number) {
  const [lengthAt, start, end, resourceLengthAt, resourceStart, resourceEnd, insertAt] = edits.slice(i, i + EDIT_NUMBERS) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
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

/** A new buffer, in memory that `allocate` gives. */
export function stampTenant(
  bytes: Buffer,
  { edits, tenant, allocate }: { edits: readonly number[]; tenant: Buffer; allocate: (bytes: number) => Buffer },
): Buffer {
  const attribute = encodeTenant(tenant);
  let size = bytes.length;
  for (let i = 0; i < edits.length; i += EDIT_NUMBERS) size += measure(edits, i, attribute.length).growth;
  const out = allocate(size);
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
      p = writeVarint(out, edit.resourceLength, out.writeUInt8(10, p));
      from = edit.start;
    }
    p += attribute.copy(out, p);
  }
  bytes.copy(out, p, from);
  return out;
}
