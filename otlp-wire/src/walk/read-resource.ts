import {
  ANY_VALUE_BOOL_VALUE,
  ANY_VALUE_DOUBLE_VALUE,
  ANY_VALUE_INT_VALUE,
  ANY_VALUE_STRING_VALUE,
  KEY_VALUE_KEY,
  KEY_VALUE_VALUE,
  RESOURCE_SPANS_RESOURCE as RESOURCE,
  RESOURCE_ATTRIBUTES,
  EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS as RESOURCES,
} from '../generated/tags.ts';

const MAX_ATTRIBUTES = 32;
const MAX_CHARS = 256;

interface Field {
  tag: number;
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
    const { value: wide, next: behindTag } = readVarint(bytes, at);
    const tag = Number(wide);
    const type = Number(wide & 7n);
    const none = Buffer.alloc(0);
    if (type === 0) {
      const { value, next } = readVarint(bytes, behindTag);
      yield { tag, value, bytes: none };
      at = next;
    } else if (type === 2) {
      const length = readVarint(bytes, behindTag);
      const end = length.next + Number(length.value);
      yield { tag, value: 0n, bytes: bytes.subarray(length.next, end) };
      at = end;
    } else if (type === 1 || type === 5) {
      at = behindTag + (type === 1 ? 8 : 4);
      yield { tag, value: 0n, bytes: bytes.subarray(behindTag, at) };
    } else throw new Error('no field');
  }
}

const find = (bytes: Buffer, tag: number): Buffer | undefined => {
  for (const field of readFields(bytes)) if (field.tag === tag) return field.bytes;
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
    if (field.tag === ANY_VALUE_STRING_VALUE) return toText(field.bytes);
    if (field.tag === ANY_VALUE_BOOL_VALUE) return field.value === 0n ? 'false' : 'true';
    if (field.tag === ANY_VALUE_INT_VALUE) return String(BigInt.asIntN(64, field.value));
    if (field.tag === ANY_VALUE_DOUBLE_VALUE && field.bytes.length === 8) return String(field.bytes.readDoubleLE(0));
    return '(nested)';
  }
  return '';
}

/**
 * The attributes of one resource of a request that was refused, so that whoever sent it is found: at most 32, at most 256 characters
 * each. Undefined where none can be read. The list of resources has one tag in each of the three requests, as has the resource in its item.
 */
export function readResource(request: Buffer, index: number): Record<string, string> | undefined {
  const attributes: [string, string][] = [];
  try {
    let place = 0;
    for (const item of readFields(request)) {
      if (item.tag !== RESOURCES) continue;
      if (place++ < index) continue;
      const resource = find(item.bytes, RESOURCE) ?? Buffer.alloc(0);
      for (const { tag, bytes } of readFields(resource)) {
        if (tag !== RESOURCE_ATTRIBUTES || attributes.length >= MAX_ATTRIBUTES) continue;
        attributes.push([
          toText(find(bytes, KEY_VALUE_KEY) ?? bytes.subarray(0, 0)),
          describeValue(find(bytes, KEY_VALUE_VALUE) ?? bytes.subarray(0, 0)),
        ]);
      }
      break;
    }
  } catch {
    // What was read before the broken place is as good.
  }
  return attributes.length > 0 ? Object.fromEntries(attributes) : undefined;
}
