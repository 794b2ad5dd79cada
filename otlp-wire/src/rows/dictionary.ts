import { randomInt } from 'node:crypto';
import { ByteSink, type NativeColumn } from '@svc/bytes';

const VERSION = 1;
const HAS_ADDITIONAL_KEYS = 1 << 9;
const NEED_UPDATE_DICTIONARY = 1 << 10;

const grown = <A extends Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(array: A): A => {
  const larger = new (array.constructor as new (size: number) => A)(array.length * 2);
  larger.set(array);
  return larger;
};

interface DictionaryParts {
  /** Of an id: 0 for 8 bits, 1 for 16, 2 for 32. */
  width: number;
  /** Texts, each behind its length. */
  count: number;
  text: Uint8Array;
  rows: number;
  ids: ArrayBufferView;
}

/** Chosen at each start, so that nobody can send texts that all meet in one slot. */
const SEED = randomInt(2 ** 32) | 0;
const EMPTY_HASH = SEED;

/** LowCardinality(String) in the Native format. */
export const writeDictionary = {
  prefix: (sink: ByteSink): void => sink.uint64(VERSION),
  body(sink: ByteSink, { width, count, text, rows, ids }: DictionaryParts): void {
    sink.uint64(width | HAS_ADDITIONAL_KEYS | NEED_UPDATE_DICTIONARY);
    sink.uint64(count);
    sink.raw(text);
    sink.uint64(rows);
    sink.raw(ids);
  },
};

const MIN_SLOTS = 256;
/** A dictionary that grew beyond this begins small again at its reset. */
const MAX_KEPT_SLOTS = 1 << 17;

/** Of a text: its hash, place and size, and two slots. */
const TEXT_NUMBERS = 5;

/** LowCardinality(String) whose dictionary is looked up by bytes: open addressing, no text is made of a value. Id 0 is ''. */
export class Dictionary implements NativeColumn {
  length = 0;
  private slots = new Int32Array(MIN_SLOTS);
  private hashes = new Int32Array(MIN_SLOTS);
  private starts = new Int32Array(MIN_SLOTS);
  private sizes = new Int32Array(MIN_SLOTS);
  private readonly keys = new ByteSink(4096);
  private count = 0;
  private hint = 0;
  private ids = new Uint32Array(MIN_SLOTS);

  constructor() {
    this.reset();
  }

  /** Texts that have an id, '' among them. */
  get size(): number {
    return this.count;
  }

  /** What texts and rows take. */
  get bytes(): number {
    return this.keys.length + (this.count * TEXT_NUMBERS + this.length) * 4;
  }

  reset(): void {
    if (this.slots.length > MAX_KEPT_SLOTS) this.slots = new Int32Array(MIN_SLOTS);
    this.slots.fill(-1);
    this.keys.reset();
    this.length = 0;
    this.count = 0;
    // '' at 0, as ClickHouse wants it.
    this.hint = this.newId(EMPTY_HASH, 0);
    this.slots[EMPTY_HASH & (this.slots.length - 1)] = this.hint;
  }

  /** The id of a text, a new one if need be; valid until the reset. Quickest where it is the one before. */
  intern(bytes: Buffer, start: number, end: number): number {
    const size = end - start;
    if (this.sizes[this.hint] === size && this.isAt(this.hint, bytes, start)) return this.hint;
    let hash = SEED ^ Math.imul(size, 0x9e3779b1);
    // What a byte changes spreads over all bits at once: who does not know the seed cannot work out where the next ones lead.
    for (let i = start; i < end; i++) {
      hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
      hash ^= hash >>> 15;
    }
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const id = this.slots[slot] as number;
      if (id < 0) break;
      if (this.hashes[id] === hash && this.sizes[id] === size && this.isAt(id, bytes, start)) {
        this.hint = id;
        return id;
      }
      slot = (slot + 1) & mask;
    }
    this.hint = this.newId(hash, size);
    this.keys.copy(bytes, start, end);
    if (this.count * 2 > this.slots.length) this.rehash();
    else this.slots[slot] = this.hint;
    return this.hint;
  }

  private isAt(id: number, bytes: Buffer, start: number): boolean {
    const keys = this.keys.bytes;
    const from = this.starts[id] as number;
    const size = this.sizes[id] as number;
    for (let i = 0; i < size; i++) if (keys[from + i] !== bytes[start + i]) return false;
    return true;
  }

  private newId(hash: number, size: number): number {
    const id = this.count++;
    if (id === this.hashes.length) {
      this.hashes = grown(this.hashes);
      this.starts = grown(this.starts);
      this.sizes = grown(this.sizes);
    }
    this.keys.varint(size);
    this.hashes[id] = hash;
    this.starts[id] = this.keys.length;
    this.sizes[id] = size;
    return id;
  }

  private rehash(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    const mask = this.slots.length - 1;
    for (let id = 0; id < this.count; id++) {
      let slot = (this.hashes[id] as number) & mask;
      while ((this.slots[slot] as number) >= 0) slot = (slot + 1) & mask;
      this.slots[slot] = id;
    }
  }

  push(id: number): void {
    if (this.length === this.ids.length) this.ids = grown(this.ids);
    this.ids[this.length++] = id;
  }

  /** The id of so many rows. */
  pushRun(id: number, rows: number): void {
    const { length } = this;
    while (length + rows > this.ids.length) this.ids = grown(this.ids);
    this.length = length + rows;
    this.ids.fill(id, length, this.length);
  }

  /** The ids of an entry, so many times. */
  pushRuns(ids: Int32Array, times: number): void {
    const from = this.length;
    const end = from + ids.length * times;
    if (end === from) return;
    while (end > this.ids.length) this.ids = grown(this.ids);
    this.ids.set(ids, from);
    // What is there is copied behind itself, twice as much each time.
    for (let done = ids.length; from + done < end; done *= 2)
      this.ids.copyWithin(from + done, from, from + Math.min(done, end - from - done));
    this.length = end;
  }

  add(bytes: Buffer, start: number, end: number): void {
    this.push(this.intern(bytes, start, end));
  }

  writePrefix(sink: ByteSink): void {
    writeDictionary.prefix(sink);
  }

  writeBody(sink: ByteSink): void {
    if (this.length === 0) return;
    const { count, length: rows } = this;
    const width = count <= 256 ? 0 : count <= 65_536 ? 1 : 2;
    const wide = this.ids.subarray(0, rows);
    const ids = width === 0 ? new Uint8Array(wide) : width === 1 ? new Uint16Array(wide) : wide;
    writeDictionary.body(sink, { width, count, text: this.keys.view(), rows, ids });
  }
}
