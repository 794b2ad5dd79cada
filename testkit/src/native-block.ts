/** One column of a block to be written: values as text, numbers, bigints or hex (FixedString), lists for arrays, pairs for maps. */
export interface TestColumn {
  name: string;
  type: string;
  values: readonly unknown[];
}

const FIXED: Readonly<Record<string, [width: number, write: (bytes: Buffer, value: unknown) => void]>> = {
  UInt8: [1, (bytes, value) => bytes.writeUInt8(Number(value))],
  UInt16: [2, (bytes, value) => bytes.writeUInt16LE(Number(value))],
  UInt32: [4, (bytes, value) => bytes.writeUInt32LE(Number(value))],
  Int32: [4, (bytes, value) => bytes.writeInt32LE(Number(value))],
  UInt64: [8, (bytes, value) => bytes.writeBigUInt64LE(BigInt(value as number))],
  Float64: [8, (bytes, value) => bytes.writeDoubleLE(Number(value))],
  'DateTime64(3)': [8, (bytes, value) => bytes.writeBigInt64LE(BigInt(value as number))],
  'DateTime64(9)': [8, (bytes, value) => bytes.writeBigInt64LE(BigInt(value as bigint))],
};

const LOW = 'LowCardinality(String)';
const DICTIONARY_OF_ITS_OWN = 0x600;
const WIDTH_32 = 2;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function wide(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

const text = (value: unknown): Buffer => {
  const bytes = Buffer.from(String(value));
  return Buffer.concat([varint(bytes.length), bytes]);
};

const itemOf = (type: string): string | undefined => /^Array\((.+)\)$/.exec(type)?.[1];
const partsOf = (type: string): string[] | undefined => /^Map\(([^,]+), (.+)\)$/.exec(type)?.slice(1);

function prefix(type: string): Buffer {
  if (type === LOW) return wide(1);
  const item = itemOf(type);
  return item ? prefix(item) : Buffer.concat((partsOf(type) ?? []).map(prefix));
}

function dictionary(values: readonly unknown[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const keys = ['', ...new Set(values.map(String).filter((value) => value !== ''))];
  const places = new Map(keys.map((key, place) => [key, place]));
  const ids = values.map((value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(places.get(String(value)) ?? 0);
    return bytes;
  });
  return Buffer.concat([wide(WIDTH_32 | DICTIONARY_OF_ITS_OWN), wide(keys.length), ...keys.map(text), wide(ids.length), ...ids]);
}

/** The running sum of entries after each row. */
function ends(rows: readonly (readonly unknown[])[]): Buffer {
  let sum = 0;
  return Buffer.concat(
    rows.map((entries) => {
      sum += entries.length;
      return wide(sum);
    }),
  );
}

function body(type: string, values: readonly unknown[]): Buffer {
  if (type === LOW) return dictionary(values);
  if (type === 'String') return Buffer.concat(values.map(text));
  const item = itemOf(type);
  if (item) {
    const rows = values as unknown[][];
    return Buffer.concat([ends(rows), body(item, rows.flat(1))]);
  }
  const parts = partsOf(type);
  if (parts) {
    const rows = values as [unknown, unknown][][];
    const entries = rows.flat(1);
    const [key = '', value = ''] = parts;
    return Buffer.concat([
      ends(rows),
      body(
        key,
        entries.map(([name]) => name),
      ),
      body(
        value,
        entries.map(([, of]) => of),
      ),
    ]);
  }
  const width = Number(/^FixedString\((\d+)\)$/.exec(type)?.[1]);
  if (width)
    return Buffer.concat(values.map((value) => Buffer.concat([Buffer.from(String(value), 'hex'), Buffer.alloc(width)], width)));
  const [size, write] = FIXED[type] ?? [];
  if (size === undefined || write === undefined) throw new TypeError(`No test writes a column of ${type}.`);
  return Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(size);
      write(bytes, value);
      return bytes;
    }),
  );
}

/** A block as a column store takes it by `writeEncoded`, written without any of the server's code. */
export function encodeTestBlock(table: string, columns: readonly TestColumn[]) {
  const rows = columns[0]?.values.length ?? 0;
  const parts = columns.map(({ name, type, values }) =>
    Buffer.concat([text(name), text(type), prefix(type), body(type, values)]),
  );
  return {
    table,
    rows,
    columns: columns.map(({ name }) => name),
    bytes: Buffer.concat([varint(columns.length), varint(rows), ...parts]),
  };
}
