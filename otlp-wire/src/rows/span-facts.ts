import { assembly, doublesAt } from './assembly/instance.ts';
import type { WireReader } from './wire-reader.ts';

/** As the first fields of Facts lie in otlp-wire/assembly/rows/span-facts.ts: start and end, then a kind of 32 bits. */
const times = doublesAt(assembly.spanFacts(), 3);
const kinds = new Uint32Array(times.buffer, times.byteOffset + 16, 1);

/** What is asked of the span that was read last, before it is a row. */
export class SpanFacts {
  /** Unix ms, with fractions; 0 for a span without a start. */
  tsMs = 0;
  /** The same of its end. */
  endMs = 0;
  kind = 0;
  /** Where it lies. */
  begin = 0;
  end = 0;

  /** Reads the span up to `end`: all of it but attributes, events and links. */
  read({ at }: WireReader, end: number): void {
    assembly.readSpan(at, end);
    this.begin = at;
    this.end = end;
    this.tsMs = times[0] as number;
    this.endMs = times[1] as number;
    this.kind = kinds[0] as number;
  }
}
