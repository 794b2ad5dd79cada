import { ByteSink } from './byte-sink.ts';

const VERSION = 1;
const HAS_ADDITIONAL_KEYS = 1 << 9;
const NEED_UPDATE_DICTIONARY = 1 << 10;

/** Collects the values of one LowCardinality(String) column: a dictionary with '' at 0, as ClickHouse wants it, and an index a value. */
export class LowCardinalityColumn {
  private readonly ids = new Map<string, number>([['', 0]]);
  private readonly keys = new ByteSink(1024);
  private indexes: Uint32Array<ArrayBuffer> = new Uint32Array(1024);
  private count = 0;
  private lastText = '';
  private lastId = 0;

  constructor() {
    this.keys.string('');
  }

  push(text: string): void {
    if (text !== this.lastText) {
      this.lastId = this.idOf(text);
      this.lastText = text;
    }
    if (this.count === this.indexes.length) {
      const grown = new Uint32Array(this.count * 2);
      grown.set(this.indexes);
      this.indexes = grown;
    }
    this.indexes[this.count++] = this.lastId;
  }

  private idOf(text: string): number {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    const id = this.ids.size;
    this.ids.set(text, id);
    this.keys.string(text);
    return id;
  }

  writePrefix(sink: ByteSink): void {
    sink.uint64(VERSION);
  }

  writeBody(sink: ByteSink): void {
    if (this.count === 0) return;
    const width = this.ids.size <= 256 ? 0 : this.ids.size <= 65_536 ? 1 : 2;
    sink.uint64(width | HAS_ADDITIONAL_KEYS | NEED_UPDATE_DICTIONARY);
    sink.uint64(this.ids.size);
    sink.append(this.keys);
    sink.uint64(this.count);
    const indexes = this.indexes.subarray(0, this.count);
    if (width === 0) sink.raw(Uint8Array.from(indexes));
    else if (width === 1) sink.raw(Uint16Array.from(indexes));
    else sink.raw(indexes);
  }
}
