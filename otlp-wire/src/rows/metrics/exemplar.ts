import {
  EXEMPLAR_AS_DOUBLE as AS_DOUBLE,
  EXEMPLAR_AS_INT as AS_INT,
  EXEMPLAR_SPAN_ID as SPAN_ID,
  EXEMPLAR_TIME_UNIX_NANO as TIME,
  EXEMPLAR_TRACE_ID as TRACE_ID,
} from '../../generated/tags.ts';
import { msAt, type WireReader } from '../wire-reader.ts';

const HALF = 4_294_967_296;

/** A signed 64-bit integer as a number; beyond 2^53 to the nearest one. */
export const sfixed64At = (words: DataView, at: number): number =>
  words.getInt32(at + 4, true) * HALF + words.getUint32(at, true);

/** What one exemplar says. */
export class ExemplarFacts {
  begin = 0;
  end = 0;
  /** Unix ms with fractions; 0 without a time. */
  tsMs = 0;
  value = Number.NaN;
  traceStart = 0;
  traceEnd = 0;
  spanStart = 0;
  spanEnd = 0;

  /** Reads the exemplar up to `end`. */
  read(reader: WireReader, end: number): void {
    const { words } = reader;
    this.begin = reader.at;
    this.end = end;
    this.tsMs = this.traceStart = this.traceEnd = this.spanStart = this.spanEnd = 0;
    this.value = Number.NaN;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === TIME) this.tsMs = msAt(words, reader.fixed(8, end));
      else if (tag === AS_DOUBLE) this.value = words.getFloat64(reader.fixed(8, end), true);
      else if (tag === AS_INT) this.value = sfixed64At(words, reader.fixed(8, end));
      else if (tag === TRACE_ID) {
        this.traceEnd = reader.enter(end);
        this.traceStart = reader.at;
        reader.at = this.traceEnd;
      } else if (tag === SPAN_ID) {
        this.spanEnd = reader.enter(end);
        this.spanStart = reader.at;
        reader.at = this.spanEnd;
      } else reader.skip(tag, end);
    }
  }
}
