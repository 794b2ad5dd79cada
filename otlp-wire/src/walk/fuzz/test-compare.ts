import { isOutOfTime, OtlpFault, type Signal, walk } from '../index.ts';
import { conformingType } from '../test-conforming.ts';

/** What is refused here though protobuf allows it, by the end of the message. */
const stricter = [
  /has the wrong wire type\.$/,
  /a field has a wire type that OTLP does not use\.$/,
  /(?:trace_id|span_id|parent_span_id) has a length that it cannot have\.$/,
  /Metric\.data is given in two kinds\.$/,
  /a varint is over 64 bits\.$/,
  /a tag or length is over 32 bits\.$/,
];

const itemTimes: Record<string, string[]> = {
  Span: ['start_time_unix_nano'],
  LogRecord: ['time_unix_nano', 'observed_time_unix_nano'],
  NumberDataPoint: ['time_unix_nano'],
  HistogramDataPoint: ['time_unix_nano'],
  ExponentialHistogramDataPoint: ['time_unix_nano'],
  SummaryDataPoint: ['time_unix_nano'],
};

type Decoded = Record<string, unknown> & { $type: { name: string } };
interface Attribute {
  key: string;
  value?: { string_value?: string } | null;
}

/** Times of all records within, in Unix ms; a record without any is given `nowMs`. */
function findTimes(message: Decoded, nowMs: number): number[] {
  const times = itemTimes[message.$type.name];
  if (times) {
    const ns = times.map((name) => Number(message[name] ?? 0)).find((time) => time !== 0);
    return [ns === undefined ? (message.$type.name === 'LogRecord' ? nowMs : 0) : ns / 1e6];
  }
  const parts = Object.values(message).flat();
  return parts
    .filter((part): part is Decoded => typeof part === 'object' && part !== null && '$type' in part)
    .flatMap((part) => findTimes(part, nowMs));
}

function decode(signal: Signal, bytes: Buffer): Decoded | undefined {
  try {
    return conformingType(signal).decode(bytes) as unknown as Decoded;
  } catch {
    return undefined;
  }
}

const encode = (signal: Signal, request: Decoded) => Buffer.from(conformingType(signal).encode(request).finish());

function pushTenants(request: Decoded, tenant: string): void {
  for (const part of Object.values(request).flat() as { resource?: { attributes?: Attribute[] } | null }[]) {
    part.resource ??= {};
    const attributes = part.resource.attributes ?? [];
    if (attributes.some(({ key }) => key === 'svc.tenant.id')) continue;
    part.resource.attributes = [...attributes, { key: 'svc.tenant.id', value: { string_value: tenant } }];
  }
}

function walkOrFault(signal: Signal, bytes: Buffer, options: { tenant: string; nowMs: number }) {
  try {
    return walk(signal, bytes, options);
  } catch (error) {
    if (error instanceof OtlpFault) return error;
    throw error;
  }
}

/**
 * Holds the walker to the conforming parser on one request. Gives the outcome, 'accepted' or the fault's sentence, and throws where they
 * disagree in a way that is not on the list above.
 */
export function compare(signal: Signal, bytes: Buffer, options: { tenant: string; nowMs: number }): string {
  const { tenant, nowMs } = options;
  const result = walkOrFault(signal, bytes, options);
  const request = decode(signal, bytes);
  if (result instanceof OtlpFault) {
    if (request && result.kind === 'malformed' && !stricter.some((pattern) => pattern.test(result.message))) {
      throw new Error(`refused (${result.message}) what a conforming parser accepts`);
    }
    return result.message;
  }
  const stamped = decode(signal, result.bytes);
  if (!request || !stamped) throw new Error('accepted what a conforming parser rejects');
  const times = findTimes(request, nowMs);
  const rejected = times.filter((time) => isOutOfTime(signal, time, nowMs)).length;
  if (times.length !== result.items) throw new Error(`counted ${result.items} items of ${times.length}`);
  if (rejected !== result.rejected) throw new Error(`rejected ${result.rejected} items where ${rejected} are out of time`);
  pushTenants(request, tenant);
  if (!encode(signal, request).equals(encode(signal, stamped))) throw new Error('stamped other than decode, push, encode');
  for (const part of Object.values(stamped).flat() as { resource: { attributes: Attribute[] } }[]) {
    const named = part.resource.attributes.filter(({ key }) => key === 'svc.tenant.id');
    if (named.length !== 1 || named[0]?.value?.string_value !== tenant)
      throw new Error('let a tenant through that is not the one');
  }
  return 'accepted';
}
