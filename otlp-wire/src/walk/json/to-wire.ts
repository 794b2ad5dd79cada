import { EXPORT_REQUESTS } from '@svc/contracts/otlp/descriptor';
import { OtlpFault } from '../fault.ts';
import type { Signal } from '../signal.ts';
import { MAX_DEPTH } from '../walk-fault.ts';
import { type JsonField, type JsonMessage, jsonMessageOf } from './fields.ts';
import { JsonReader } from './reader.ts';
import { readScalar, writeScalar } from './scalar.ts';
import { WireWriter } from './wire-writer.ts';

interface Context {
  reader: JsonReader;
  writer: WireWriter;
  /** Field names and indexes from the root; nothing of the payload. */
  path: (string | number)[];
  depth: number;
}

/**
 * OTLP/JSON to protobuf: ids hexadecimal, 64-bit numbers as text or number (exact either way), enums as number or name, null as absent,
 * unknown fields left out. At most about four times as long as the text. The result still has to be walked.
 * @throws OtlpFault malformed, with the path to what is wrong; too_deep
 */
export function jsonToWire(signal: Signal, text: Buffer): Buffer {
  const context: Context = { reader: new JsonReader(text), writer: new WireWriter(text.length), path: [], depth: 1 };
  writeMessage(context, jsonMessageOf(EXPORT_REQUESTS[signal]));
  context.reader.finish();
  return context.writer.finish();
}

function fail({ path }: Context, what: string): never {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  const resource = path.length > 1 && typeof path[1] === 'number' ? path[1] : undefined;
  throw new OtlpFault('malformed', `The request is not OTLP: ${place.slice(1) || 'the body'} ${what}.`, resource);
}

function writeMessage(context: Context, message: JsonMessage): void {
  const { reader, path } = context;
  if (reader.peek() !== '{') {
    reader.skip();
    fail(context, 'is not an object');
  }
  if (context.depth > MAX_DEPTH) throw new OtlpFault('too_deep', `A value is nested over ${MAX_DEPTH} messages deep.`);
  context.depth += 1;
  // Field numbers go up to 16.
  let seen = 0;
  let oneof: string | undefined;
  reader.readObject((name) => {
    const field = message.get(name);
    if (!field || reader.peek() === 'n') return reader.skip();
    path.push(name);
    const bit = 1 << (field.tag >> 3);
    if ((seen & bit) !== 0) fail(context, 'is given twice');
    seen |= bit;
    if (field.oneof) {
      if (oneof === field.oneof) fail(context, 'stands beside another kind of the same value');
      oneof = field.oneof;
    }
    if (field.isRepeated) writeRepeated(context, field);
    else writeField(context, field);
    path.pop();
  });
  context.depth -= 1;
}

function writeRepeated(context: Context, field: JsonField): void {
  const { reader, writer, path } = context;
  if (reader.peek() !== '[') fail(context, 'is not an array');
  const each = (write: () => void) =>
    reader.readArray((index) => {
      path.push(index);
      write();
      path.pop();
    });
  if (field.kind === 'message' || field.kind === 'string') each(() => writeField(context, field));
  else {
    writer.varint(field.tag);
    writer.nested(() => each(() => writeScalar(writer, field, scalarOf(context, field))));
  }
}

function writeField(context: Context, field: JsonField): void {
  const { writer } = context;
  writer.varint(field.tag);
  const { message } = field;
  if (message) writer.nested(() => writeMessage(context, message));
  else writeScalar(writer, field, scalarOf(context, field));
}

function scalarOf(context: Context, field: JsonField) {
  const { reader } = context;
  const kind = reader.peek();
  const scalar = kind === '{' || kind === '[' ? undefined : readScalar(field, reader.readScalar());
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
