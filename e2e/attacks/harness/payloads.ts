import { bytesField, doubleField, fixed64Field, messageField, varintField } from '../../../bench/otlp/wire-writer.ts';
import type { Signal } from './otlp.ts';

export const attribute = (field: number, key: string, text: string | Buffer): Buffer =>
  messageField(field, bytesField(1, key), messageField(2, bytesField(1, text)));

export const nsOf = (ms: number): bigint => BigInt(Math.round(ms)) * 1_000_000n;

/** Attributes of a resource, by key; a list where one key comes twice. */
export type Attributes = readonly (readonly [string, string])[];

export interface LogOptions {
  atMs?: number;
  /** As it stands, before `atMs`. */
  atNs?: bigint;
  body?: string;
  attributes?: Attributes;
}

export const logRecord = ({ atMs = Date.now(), atNs = nsOf(atMs), body, attributes = [] }: LogOptions): Buffer =>
  messageField(
    2,
    fixed64Field(1, atNs),
    ...(body === undefined ? [] : [messageField(5, bytesField(1, body))]),
    ...attributes.map(([key, value]) => attribute(6, key, value)),
  );

export interface SpanOptions extends Omit<LogOptions, 'body'> {
  name?: string;
  kind?: number;
  id: Buffer;
  durationNs?: bigint;
}

export const span = (options: SpanOptions): Buffer => {
  const {
    atMs = Date.now(),
    atNs = nsOf(atMs),
    name = 'GET /',
    kind = 2,
    id,
    attributes = [],
    durationNs = 1_000_000n,
  } = options;
  return messageField(
    2,
    bytesField(1, Buffer.concat([Buffer.alloc(8, 3), id])),
    bytesField(2, id),
    bytesField(5, name),
    varintField(6, kind),
    fixed64Field(7, atNs),
    fixed64Field(8, atNs + durationNs),
    ...attributes.map(([key, value]) => attribute(9, key, value)),
  );
};

export interface PointOptions {
  atMs?: number;
  atNs?: bigint;
  value?: number;
  attributes?: Attributes;
}

const point = ({ atMs = Date.now(), atNs = nsOf(atMs), value = 1, attributes = [] }: PointOptions): Buffer =>
  messageField(1, fixed64Field(3, atNs), doubleField(4, value), ...attributes.map(([key, text]) => attribute(7, key, text)));

/** A gauge with these points. */
export const gauge = (name: string, points: readonly PointOptions[]): Buffer =>
  messageField(2, bytesField(1, name), messageField(5, ...points.map(point)));

/** An export of one resource with one scope; `items` are records, spans or metrics. */
export const request = (
  items: readonly Buffer[],
  resource: Attributes = [['service.name', 'hostile']],
  scope: Attributes = [],
): Buffer =>
  messageField(
    1,
    messageField(1, ...resource.map(([key, value]) => attribute(1, key, value))),
    messageField(
      2,
      ...(scope.length > 0 ? [messageField(1, ...scope.map(([key, value]) => attribute(3, key, value)))] : []),
      Buffer.concat(items as Buffer[]),
    ),
  );

export const idOf = (number: number): Buffer => {
  const id = Buffer.alloc(8);
  id.writeBigUInt64BE(BigInt(number) + 1n);
  return id;
};

/** One item that can be read again by `mark`, of each signal. */
export const marked = (signal: Signal, mark: string, options: { atNs?: bigint; attributes?: Attributes } = {}): Buffer => {
  const { attributes = [], ...at } = options;
  const all = [['mark', mark], ...attributes] as const;
  if (signal === 'logs') return logRecord({ ...at, body: mark, attributes: all });
  if (signal === 'traces') return span({ ...at, name: mark, id: idOf(Math.floor(Math.random() * 2 ** 40)), attributes: all });
  return gauge(mark.replaceAll('-', '_'), [{ ...at, attributes: all }]);
};
