import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import type { Signal } from '@svc/otlp-wire/walk';

const DAY_MS = 86_400_000;

/** A request in the JSON of OTLP (lowerCamelCase, 64-bit numbers as text, bytes as base64), as bytes of an encoder that nobody here wrote. */
export function encodeRequest(signal: Signal, request: object): Buffer {
  // The conforming encoder wants the names of the .proto files.
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return encodeConforming(signal, JSON.parse(JSON.stringify(request).replaceAll(/"\w+":/g, snake)));
}

export interface Numbered {
  /** Told by the spans' ids: the number of the message and of the span. */
  number: number;
  spans: number;
  nowMs: number;
  /** Bytes of an attribute of each span. */
  padding?: number;
}

/** A request of spans that can be counted, of today and of yesterday in turns. */
export function numberedSpans({ number, spans, nowMs, padding = 0 }: Numbered): Buffer {
  const attributes = [{ key: 'padding', value: { stringValue: 'x'.repeat(padding) } }];
  const span = (_: unknown, i: number) => {
    const spanId = Buffer.alloc(8);
    spanId.writeUInt32BE(number);
    spanId.writeUInt32BE(i, 4);
    const time = String(BigInt(nowMs - (i % 2) * DAY_MS) * 1_000_000n);
    return { name: `m${number}`, spanId: spanId.toString('base64'), startTimeUnixNano: time, endTimeUnixNano: time, attributes };
  };
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
  return encodeRequest('traces', { resourceSpans: [{ resource, scopeSpans: [{ spans: Array.from({ length: spans }, span) }] }] });
}
