import { KEY_VALUE_KEY as KEY, KEY_VALUE_VALUE as VALUE } from '../generated/tags';
import { Bytes, SLACK } from './bytes';
import { Dictionary } from './dictionary';
import { readRare } from './host';
import { Hot } from './hot';
import { BOOL, writePlain } from './value';
import { pos, varint } from './wire';

/** Attributes of a record (docs/limits.md). */
const MOST_ATTRIBUTES: u32 = 128;
/** Places of a record whose last key is remembered: instrumented services send the same keys in the same order. */
const GUESSES: u32 = 64;

const truncatedKey = memory.data<u8>([115, 118, 99, 46, 116, 114, 117, 110, 99, 97, 116, 101, 100, 0, 0, 0, 0, 0, 0, 0, 0]);
const TRUNCATED_KEY_BYTES: u32 = 13;
const trueText = memory.data<u8>([116, 114, 117, 101, 0, 0, 0, 0, 0, 0, 0, 0]);

/** Map(LowCardinality(String), String) of attributes beside the column of their types: one letter for each entry (docs/adr/otlp/0010). */
@unmanaged
@final
export class Attributes {
  ends: Bytes = new Bytes();
  keys: Dictionary = new Dictionary();
  values: Bytes = new Bytes();
  types: Dictionary = new Dictionary();
  /** 0 where none of these attributes has a column of its own. */
  hot: usize = 0;
  private letters: usize = heap.alloc(MOST_ATTRIBUTES + 1 + SLACK);
  private guesses: usize = heap.alloc(GUESSES * 4);
  private count: u32 = 0;
  private cut: u32 = 0;
  /** Where the value that was added last begins in `values`. */
  private valueAt: u32 = 0;

  /** An empty one; to be called before anything else. */
  reset(): void {
    this.ends.length = 0;
    this.keys.reset();
    this.values.length = 0;
    this.types.reset();
    memory.fill(this.guesses, 0, GUESSES * 4);
    this.count = 0;
    this.cut = 0;
  }

  /** The KeyValue from `at` to `end`; beyond the bound it is left out and the row marked. */
  add(at: usize, end: usize): void {
    if (this.count >= MOST_ATTRIBUTES) {
      this.cut = 1;
      return;
    }
    const size: u32 = load<u8>(at + 1);
    const key = at + 2;
    const keyEnd = key + size;
    if (load<u8>(at) === KEY && size < 128 && keyEnd + 1 < end && load<u8>(keyEnd) === VALUE) {
      let value = keyEnd + 2;
      let valueSize: u32 = load<u8>(keyEnd + 1);
      if (valueSize > 127) {
        valueSize = varint(keyEnd + 1);
        value = pos;
      }
      if (value + valueSize === end) {
        this.valueAt = this.values.length;
        const letter = writePlain(value, end, this.values);
        if (letter !== 0) {
          this.note(key, size, letter);
          return;
        }
      }
    }
    asking = this;
    readRare(at, end);
  }

  /** An attribute whose text was made by the host. */
  addEntry(key: usize, keySize: u32, letter: u32): void {
    this.valueAt = this.values.length;
    this.values.text(hostText.data, hostText.length);
    this.note(key, keySize, letter);
  }

  private note(key: usize, size: u32, letter: u32): void {
    const at = this.count;
    let id: u32;
    if (at < GUESSES) {
      id = load<u32>(this.guesses + at * 4);
      if (!this.keys.has(id, key, size)) {
        id = this.keys.find(key, size);
        store<u32>(this.guesses + at * 4, id);
      }
    } else id = this.keys.intern(key, size);
    this.keys.push(id);
    store<u8>(this.letters + at, letter);
    this.count = at + 1;
    if (this.hot !== 0) changetype<Hot>(this.hot).note(this.keys, id, this.valueAt);
  }

  /** Marks the open row as cut. */
  markCut(): void {
    this.cut = 1;
  }

  /** Ends the row; 1 when something of it was cut. */
  endRow(): u32 {
    const cut = this.cut;
    if (cut) {
      this.keys.add(truncatedKey, TRUNCATED_KEY_BYTES);
      this.values.text(trueText, 4);
      store<u8>(this.letters + this.count, BOOL);
      this.count++;
      this.cut = 0;
    }
    this.ends.u64(this.keys.ids.length >>> 2);
    this.types.add(this.letters, this.count);
    this.count = 0;
    return cut;
  }

  /** What it holds. */
  bytes(): u32 {
    return this.ends.length + this.keys.bytes() + this.values.length + this.types.bytes();
  }

  free(): void {
    this.ends.free();
    this.keys.free();
    this.values.free();
    this.types.free();
    heap.free(this.letters);
    heap.free(this.guesses);
    heap.free(changetype<usize>(this));
  }
}

/** The map that waits for the host's answer. */
let asking: Attributes = changetype<Attributes>(0);
export const askingMap = (): Attributes => asking;

/** A text that the host made, for the column that asked for it. */
export const hostText = new Bytes();
