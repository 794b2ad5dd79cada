import { EXPORT_REQUESTS } from '@svc/contracts/otlp/descriptor';
import { OtlpFault } from '../fault.ts';
import type { Signal } from '../out-of-time.ts';
import { MAX_DEPTH } from '../walk-state.ts';
import { type JsonField, type JsonMessage, jsonMessageOf } from './fields.ts';
import { readScalar, writeScalar } from './scalar.ts';
import { WireWriter } from './wire-writer.ts';

interface Context {
  writer: WireWriter;
  /** Field names and indexes from the root; nothing of the payload. */
  path: (string | number)[];
  depth: number;
}

/**
 * OTLP/JSON to protobuf: ids hexadecimal, 64-bit numbers as text or number (exact either way), enums as number or name, null as absent,
 * unknown fields ignored. At most four times as long as the text. The result still has to be walked.
 * @throws OtlpFault malformed, with the path to what is wrong; too_deep
 */
export function jsonToWire(signal: Signal, text: Buffer): Buffer {
  const context: Context = { writer: new WireWriter(text.length), path: [], depth: 1 };
  writeMessage(context, jsonMessageOf(EXPORT_REQUESTS[signal]), parse(text));
  return context.writer.finish();
}

/** A whole number of 16 digits or more may lose some as a double. Inside a text it only costs time. */
const longNumber = /[:[,\s]-?\d{16,}/;

function parse(text: Buffer): unknown {
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(text);
    return longNumber.test(json) ? JSON.parse(json, keepDigits) : JSON.parse(json);
  } catch {
    // The parser's message quotes the payload.
    throw new OtlpFault('malformed', 'The request is not JSON.');
  }
}

function keepDigits(_key: string, value: unknown, source?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return source?.source !== undefined && /^-?\d{16,20}$/.test(source.source) ? BigInt(source.source) : value;
}

function fail({ path }: Context, what: string): never {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  const resource = path.length > 1 && typeof path[1] === 'number' ? path[1] : undefined;
  throw new OtlpFault('malformed', `The request is not OTLP: ${place.slice(1) || 'the body'} ${what}.`, resource);
}

function writeMessage(context: Context, message: JsonMessage, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(context, 'is not an object');
  if (context.depth > MAX_DEPTH) throw new OtlpFault('too_deep', `A value is nested over ${MAX_DEPTH} messages deep.`);
  context.depth += 1;
  let oneof: string | undefined;
  for (const [name, part] of Object.entries(value)) {
    const field = message.get(name);
    if (!field || part === null) continue;
    context.path.push(name);
    if (field.oneof) {
      if (oneof === field.oneof) fail(context, 'stands beside another kind of the same value');
      oneof = field.oneof;
    }
    if (!field.isRepeated) writeField(context, field, part);
    else if (Array.isArray(part)) writeRepeated(context, field, part);
    else fail(context, 'is not an array');
    context.path.pop();
  }
  context.depth -= 1;
}

function writeRepeated(context: Context, field: JsonField, values: unknown[]): void {
  const { writer, path } = context;
  const each = (write: (value: unknown) => void) => {
    for (const [i, value] of values.entries()) {
      path.push(i);
      write(value);
      path.pop();
    }
  };
  const isPacked = field.kind !== 'message' && field.kind !== 'string';
  if (!isPacked) each((value) => writeField(context, field, value));
  else if (values.length > 0) {
    writer.varint(field.tag);
    writer.nested(() => each((value) => writeScalar(writer, field, scalarOf(context, field, value))));
  }
}

function writeField(context: Context, field: JsonField, value: unknown): void {
  const { writer } = context;
  writer.varint(field.tag);
  const { message } = field;
  if (message) writer.nested(() => writeMessage(context, message, value));
  else writeScalar(writer, field, scalarOf(context, field, value));
}

function scalarOf(context: Context, field: JsonField, value: unknown) {
  const scalar = readScalar(field, value);
  if (scalar === undefined) fail(context, `is not ${wanted[field.kind]}`);
  return scalar;
}

const wanted: Record<JsonField['kind'], string> = {
  message: 'an object',
  string: 'a well-formed string',
  bytes: 'base64',
  id: 'hexadecimal of the right length',
  bool: 'true or false',
  enum: 'one of its numbers or names',
  int32: 'a whole number of 32 bits',
  uint32: 'a whole number of 32 bits without sign',
  int64: 'a whole number of 64 bits',
  uint64: 'a whole number of 64 bits without sign',
  double: 'a number',
};
