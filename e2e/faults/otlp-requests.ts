import { bytesField, doubleField, fixed64Field, messageField, varintField } from '../../bench/otlp/wire-writer.ts';

export const SIGNALS = ['traces', 'logs', 'metrics'] as const;
export type OtlpSignal = (typeof SIGNALS)[number];

/** Records of one request. */
export const ITEMS = 20;

/** Numbers from here on are no sender's. */
export const UNCOUNTED = 4_000_000_000;

const attribute = (field: number, key: string, text: string) =>
  messageField(field, bytesField(1, key), messageField(2, bytesField(1, text)));

/** Number of the request and place in it: what a record is known by in the store. */
function idOf(number: number, item: number): Buffer {
  const id = Buffer.alloc(8);
  id.writeUInt32BE(number);
  id.writeUInt32BE(item, 4);
  return id;
}

export interface RecordOptions {
  number: number;
  item: number;
  /** Unix ms. */
  atMs: number;
  /** Further attributes of the record. */
  attributes?: Readonly<Record<string, string>>;
  /** Of a metric's point; the number of the request unless told. */
  value?: number;
}

const timeOf = (field: number, atMs: number) => fixed64Field(field, BigInt(atMs) * 1_000_000n);

const attributesOf = (field: number, attributes: RecordOptions['attributes'] = {}) =>
  Object.entries(attributes).map(([key, text]) => attribute(field, key, text));

const RECORDS: Readonly<Record<OtlpSignal, (record: RecordOptions) => Buffer>> = {
  traces: ({ number, item, atMs, attributes }) =>
    messageField(
      2,
      bytesField(1, Buffer.concat([Buffer.alloc(8, 7), idOf(number, item)])),
      bytesField(2, idOf(number, item)),
      bytesField(5, 'GET /cart'),
      varintField(6, 2),
      timeOf(7, atMs),
      timeOf(8, atMs + 3),
      ...attributesOf(9, attributes),
    ),
  logs: ({ number, item, atMs, attributes }) =>
    messageField(
      2,
      timeOf(1, atMs),
      varintField(2, 9),
      messageField(5, bytesField(1, `cart ${number} updated`)),
      ...attributesOf(6, attributes),
      bytesField(9, Buffer.alloc(16, 7)),
      bytesField(10, idOf(number, item)),
    ),
  // One gauge: points of a series are told apart by their time.
  metrics: ({ number, atMs, attributes, value = number }) =>
    messageField(
      2,
      bytesField(1, 'carts'),
      messageField(5, messageField(1, timeOf(3, atMs), doubleField(4, value), ...attributesOf(7, attributes))),
    ),
};

/** An export request of one service. */
export const requestOf = (signal: OtlpSignal, records: readonly RecordOptions[]): Buffer =>
  messageField(1, messageField(1, attribute(1, 'service.name', 'shop')), messageField(2, ...records.map(RECORDS[signal])));

/** Records that can be counted; each has a millisecond of its own, back from `endMs`. */
export const numberedRequest = (
  signal: OtlpSignal,
  number: number,
  { endMs, padding }: { endMs: number; padding: string },
): Buffer =>
  requestOf(
    signal,
    Array.from({ length: ITEMS }, (_, item) => ({
      ...{ number, item, atMs: endMs - number * ITEMS - item },
      // A label of a metric is kept once; of spans and logs these are bytes that have to be moved.
      ...(signal === 'metrics' ? {} : { attributes: { padding } }),
    })),
  );
