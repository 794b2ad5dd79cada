import {
  EXPORT_LOGS_SERVICE_REQUEST_RESOURCE_LOGS,
  EXPORT_METRICS_SERVICE_REQUEST_RESOURCE_METRICS,
  EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS,
  GAUGE_DATA_POINTS,
  METRIC_EXPONENTIAL_HISTOGRAM,
  METRIC_GAUGE,
  METRIC_HISTOGRAM,
  METRIC_SUM,
  METRIC_SUMMARY,
  RESOURCE_LOGS_SCOPE_LOGS,
  RESOURCE_METRICS_SCOPE_METRICS,
  RESOURCE_SPANS_SCOPE_SPANS,
  SCOPE_LOGS_LOG_RECORDS,
  SCOPE_METRICS_METRICS,
  SCOPE_SPANS_SPANS,
} from '../generated/tags.ts';
import { OtlpFault } from './fault.ts';
import type { Signal } from './signal.ts';
import { sizeOfVarint, writeVarint } from './varint.ts';

/** Tags at which a message may be cut, from the request down to the record; a record is cut no further. */
const LEVELS: Record<Signal, readonly (readonly number[])[]> = {
  traces: [[EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS], [RESOURCE_SPANS_SCOPE_SPANS], [SCOPE_SPANS_SPANS]],
  logs: [[EXPORT_LOGS_SERVICE_REQUEST_RESOURCE_LOGS], [RESOURCE_LOGS_SCOPE_LOGS], [SCOPE_LOGS_LOG_RECORDS]],
  metrics: [
    [EXPORT_METRICS_SERVICE_REQUEST_RESOURCE_METRICS],
    [RESOURCE_METRICS_SCOPE_METRICS],
    [SCOPE_METRICS_METRICS],
    // Below a Metric: its data of one kind, then its points, which have one number in all of them.
    [METRIC_GAUGE, METRIC_SUM, METRIC_HISTOGRAM, METRIC_EXPONENTIAL_HISTOGRAM, METRIC_SUMMARY],
    [GAUGE_DATA_POINTS],
  ],
};

/**
 * Cuts a walked request into requests of at most maxBytes: at resources, then scopes, then records or points. What stands beside these
 * (resource, scope, a metric's name) is repeated in each. The order stays. A request within maxBytes comes back as it is.
 * @throws OtlpFault too_large when a single record, or what would be repeated, does not fit
 */
export function split(signal: Signal, bytes: Buffer, maxBytes: number): Buffer[] {
  // What is repeated may take half of each piece: else a large resource over many small records would multiply.
  const budget = { room: maxBytes, headerRoom: Math.floor(maxBytes / 2) };
  return cut(bytes, LEVELS[signal], budget);
}

interface Budget {
  room: number;
  headerRoom: number;
}

function cut(message: Buffer, levels: readonly (readonly number[])[], { room, headerRoom }: Budget): Buffer[] {
  if (message.length <= room) return [message];
  const [numbers, ...below] = levels;
  if (!numbers) throw new OtlpFault('too_large', 'A single record is too large.');
  const { header, children } = readChildren(message, numbers);
  if (header.length > headerRoom)
    throw new OtlpFault('too_large', 'What a resource, scope or metric says of its records is too large.');
  // A tag of one byte (the numbers are below 16) and a length.
  const fieldRoom = room - header.length;
  const childBudget = { room: fieldRoom - 1 - sizeOfVarint(fieldRoom), headerRoom: headerRoom - header.length };
  const pieces: Buffer[] = [];
  let open: Buffer[] = [header];
  let size = header.length;
  for (const { tag, content } of children) {
    for (const part of cut(content, below, childBudget)) {
      const field = encodeField(tag, part);
      if (size + field.length > room) {
        pieces.push(Buffer.concat(open));
        open = [header];
        size = header.length;
      }
      open.push(field);
      size += field.length;
    }
  }
  pieces.push(Buffer.concat(open));
  return pieces;
}

function encodeField(tag: number, content: Buffer): Buffer {
  const out = Buffer.allocUnsafeSlow(1 + sizeOfVarint(content.length) + content.length);
  const p = writeVarint(out, content.length, out.writeUInt8(tag, 0));
  content.copy(out, p);
  return out;
}

/** The children to cut at, and all other fields as they came. The message was walked: its varints are sound and nothing is cut off. */
function readChildren(message: Buffer, tags: readonly number[]) {
  const header: Buffer[] = [];
  const children: { tag: number; content: Buffer }[] = [];
  let p = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[p++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (p < message.length) {
    const from = p;
    const tag = readVarint();
    const wireType = tag % 8;
    if (wireType === 0) readVarint();
    else if (wireType === 1) p += 8;
    else if (wireType === 5) p += 4;
    else {
      const length = readVarint();
      p += length;
      if (tags.includes(tag)) {
        children.push({ tag, content: message.subarray(p - length, p) });
        continue;
      }
    }
    header.push(message.subarray(from, p));
  }
  return { header: Buffer.concat(header), children };
}
