import { ID_BYTES, OTLP_ENUMS, OTLP_MESSAGES } from '@svc/contracts/otlp/descriptor';
import type { FieldRow } from '@svc/contracts/otlp/table-types';

export type FieldKind =
  | 'message'
  | 'string'
  | 'bytes'
  | 'id'
  | 'bool'
  | 'enum'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'double';

/** A row of the tables as a reader of OTLP/JSON needs it. */
export interface JsonField {
  /** Field number and wire type, packed when a number is repeated. */
  tag: number;
  kind: FieldKind;
  jsonName: string;
  isRepeated: boolean;
  /** 64 or 32 bits as they are instead of a varint. */
  isFixed: boolean;
  isZigZag: boolean;
  oneof: string | undefined;
  /** Bytes of an id. */
  idBytes: number;
  message: JsonMessage | undefined;
  values: Readonly<Record<string, number>> | undefined;
}

export type JsonMessage = ReadonlyMap<string, JsonField>;

const kinds: Record<string, FieldKind> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  sint32: 'int32',
  uint32: 'uint32',
  fixed32: 'uint32',
  int64: 'int64',
  sfixed64: 'int64',
  uint64: 'uint64',
  fixed64: 'uint64',
  double: 'double',
};

function kindOf(name: string, type: string): FieldKind {
  if (type in OTLP_MESSAGES) return 'message';
  if (type in OTLP_ENUMS) return 'enum';
  if (type === 'bytes') return name in ID_BYTES ? 'id' : 'bytes';
  return kinds[type] as FieldKind;
}

function wireTypeOf(type: string, isRepeated: boolean): number {
  if (isRepeated || type === 'string' || type === 'bytes' || type in OTLP_MESSAGES) return 2;
  return type === 'double' || type === 'fixed64' || type === 'sfixed64' ? 1 : type === 'fixed32' ? 5 : 0;
}

function toField([number, name, jsonName, type, occurrence]: FieldRow): JsonField {
  const isRepeated = occurrence === 'repeated';
  return {
    tag: number * 8 + wireTypeOf(type, isRepeated),
    kind: kindOf(name, type),
    jsonName,
    isRepeated,
    isFixed: type.includes('fixed'),
    isZigZag: type === 'sint32',
    oneof: occurrence?.startsWith('oneof ') ? occurrence : undefined,
    idBytes: ID_BYTES[name] ?? 0,
    message: messages.get(type),
    values: OTLP_ENUMS[type],
  };
}

const messages = new Map<string, Map<string, JsonField>>(Object.keys(OTLP_MESSAGES).map((name) => [name, new Map()]));
for (const [name, rows] of Object.entries(OTLP_MESSAGES)) {
  for (const row of rows) messages.get(name)?.set(row[2], toField(row));
}

export const jsonMessageOf = (name: string): JsonMessage => messages.get(name) as JsonMessage;
