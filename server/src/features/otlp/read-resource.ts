const MAX_ATTRIBUTES = 32;
const MAX_CHARS = 256;

interface Field {
  number: number;
  /** Empty unless the field is length-delimited. */
  bytes: Buffer;
  /** Of a varint field. */
  value: bigint;
}

function readVarint(bytes: Buffer, from: number): { value: bigint; next: number } {
  let value = 0n;
  for (let at = from, shift = 0n; at < bytes.length && shift < 64n; at += 1, shift += 7n) {
    const byte = bytes[at] as number;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value, next: at + 1 };
  }
  throw new Error('not a varint');
}

/** The fields of one message, as far as it can be read: it may come from a request that is broken further on. */
function* readFields(bytes: Buffer): Generator<Field> {
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const number = Number(tag.value >> 3n);
    const type = Number(tag.value & 7n);
    const none = Buffer.alloc(0);
    if (type === 0) {
      const { value, next } = readVarint(bytes, tag.next);
      yield { number, value, bytes: none };
      at = next;
    } else if (type === 2) {
      const length = readVarint(bytes, tag.next);
      const end = length.next + Number(length.value);
      yield { number, value: 0n, bytes: bytes.subarray(length.next, end) };
      at = end;
    } else if (type === 1 || type === 5) {
      at = tag.next + (type === 1 ? 8 : 4);
      yield { number, value: 0n, bytes: bytes.subarray(tag.next, at) };
    } else throw new Error('no field');
  }
}

const find = (bytes: Buffer, number: number): Buffer | undefined => {
  for (const field of readFields(bytes)) if (field.number === number) return field.bytes;
  return undefined;
};

// Neither half characters nor control characters: it is kept as JSON and shown to people.
const toText = (bytes: Buffer): string =>
  bytes
    .subarray(0, 4 * MAX_CHARS)
    .toString('utf8')
    .slice(0, MAX_CHARS)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD');

/** AnyValue: text, truth and numbers as text; of what is nested only that it is. */
function describeValue(value: Buffer): string {
  for (const field of readFields(value)) {
    if (field.number === 1) return toText(field.bytes);
    if (field.number === 2) return field.value === 0n ? 'false' : 'true';
    if (field.number === 3) return String(BigInt.asIntN(64, field.value));
    if (field.number === 4 && field.bytes.length === 8) return String(field.bytes.readDoubleLE(0));
    return '(nested)';
  }
  return '';
}

/**
 * The attributes of one resource of a request that was refused, so that whoever sent it is found: at most 32, at most 256 characters
 * each. Undefined where none can be read. Field 1 is the list of resources in each of the three requests, the resource in its item,
 * and the attributes in the resource.
 */
export function readResource(request: Buffer, index: number): Record<string, string> | undefined {
  const attributes: [string, string][] = [];
  try {
    let place = 0;
    for (const item of readFields(request)) {
      if (item.number !== 1) continue;
      if (place++ < index) continue;
      const resource = find(item.bytes, 1) ?? Buffer.alloc(0);
      for (const { number, bytes } of readFields(resource)) {
        if (number !== 1 || attributes.length >= MAX_ATTRIBUTES) continue;
        attributes.push([toText(find(bytes, 1) ?? bytes.subarray(0, 0)), describeValue(find(bytes, 2) ?? bytes.subarray(0, 0))]);
      }
      break;
    }
  } catch {
    // What was read before the broken place is as good.
  }
  return attributes.length > 0 ? Object.fromEntries(attributes) : undefined;
}
