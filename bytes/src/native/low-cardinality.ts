import { ByteSink } from '../byte-sink.ts';
import type { NativeColumn } from './block.ts';

const VERSION = 1;
const HAS_ADDITIONAL_KEYS = 1 << 9;
const NEED_UPDATE_DICTIONARY = 1 << 10;

/** Collects the values of one LowCardinality(String) column: a dictionary with '' at 0, as ClickHouse wants it, and an index a value. */
export class LowCardinalityColumn implements NativeColumn {
  length = 0;
  private readonly ids = new Map<string, number>([['', 0]]);
  private readonly keys = new ByteSink(1024);
  private indexes: Uint32Array<ArrayBuffer> = new Uint32Array(1024);
  private lastText = '';
  private lastId = 0;

  constructor() {
    this.keys.string('');
  }

  push(text: string): void {
    if (text !== this.lastText) {
      if (typeof text !== 'string') throw new TypeError(`A column of LowCardinality(String) cannot hold ${typeof text}`);
      this.lastId = this.idOf(text);
      this.lastText = text;
    }
    if (this.length === this.indexes.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.indexes);
      this.indexes = grown;
    }
    this.indexes[this.length++] = this.lastId;
  }

  private idOf(text: string): number {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    const id = this.ids.size;
    this.ids.set(text, id);
    this.keys.string(text);
    return id;
  }

  reset(): void {
    this.length = 0;
    this.ids.clear();
    this.ids.set('', 0);
    this.keys.reset();
    this.keys.string('');
    this.lastText = '';
    this.lastId = 0;
  }

  writePrefix(sink: ByteSink): void {
    sink.uint64(VERSION);
  }

  writeBody(sink: ByteSink): void {
    if (this.length === 0) return;
    const width = this.ids.size <= 256 ? 0 : this.ids.size <= 65_536 ? 1 : 2;
    sink.uint64(width | HAS_ADDITIONAL_KEYS | NEED_UPDATE_DICTIONARY);
    sink.uint64(this.ids.size);
    sink.append(this.keys);
    sink.uint64(this.length);
    const indexes = this.indexes.subarray(0, this.length);
    if (width === 0) sink.raw(new Uint8Array(indexes));
    else if (width === 1) sink.raw(new Uint16Array(indexes));
    else sink.raw(indexes);
  }
}
