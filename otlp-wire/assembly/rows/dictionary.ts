import { alike, Bytes } from './bytes';

const LEAST_SLOTS: u32 = 256;
/** A dictionary that grew beyond this begins small again at its reset. */
const MOST_KEPT_SLOTS: u32 = 1 << 17;
const ENTRY: u32 = 12;
const MIX: u64 = (0x9e3779b9 << 32) | 0x7f4a7c15;

/** Chosen at each start, so that nobody can send texts that all meet in one slot. */
let seed: u64 = 0;
export function seedHashes(low: u32, high: u32): void {
  seed = ((<u64>high) << 32) | low;
}

function hashOf(at: usize, size: u32): u32 {
  let hash = seed ^ (<u64>size * MIX);
  let left = size;
  while (left >= 8) {
    hash = rotl(hash ^ load<u64>(at), 29) * MIX;
    at += 8;
    left -= 8;
  }
  if (left > 0) hash = rotl(hash ^ (load<u64>(at) << ((8 - left) * 8)), 29) * MIX;
  return <u32>(hash >>> 32) ^ <u32>hash;
}

/** LowCardinality(String): texts have ids, '' has 0, rows are ids. Open addressing over the texts' bytes. */
@unmanaged
@final
export class Dictionary {
  /** The texts by id as the Native format has them, their lengths first. */
  text: Bytes = new Bytes();
  /** Id of each row, 32 bits. */
  ids: Bytes = new Bytes();
  count: u32 = 0;
  private hint: u32 = 0;
  private mask: u32 = 0;
  private slots: usize = 0;
  /** Hash, place in `text` and size of each text. */
  private entries: Bytes = new Bytes();

  /** An empty one; to be called before anything else. */
  reset(): void {
    if (this.mask === 0 || this.mask >= MOST_KEPT_SLOTS) this.makeSlots(LEAST_SLOTS);
    else memory.fill(this.slots, 0xff, (this.mask + 1) * 4);
    this.text.length = 0;
    this.ids.length = 0;
    this.entries.length = 0;
    this.count = 0;
    this.find(this.slots, 0);
  }

  private makeSlots(count: u32): void {
    if (this.slots !== 0) heap.free(this.slots);
    this.slots = heap.alloc(count * 4);
    this.mask = count - 1;
    memory.fill(this.slots, 0xff, count * 4);
  }

  /** Whether the text of the id is this one. */
  @inline
  has(id: u32, at: usize, size: u32): bool {
    const entry = this.entries.data + id * ENTRY;
    return load<u32>(entry, 8) === size && alike(this.text.data + load<u32>(entry, 4), at, size);
  }

  /** The id of a text, a new one if need be; quickest where it is the one before. */
  @inline
  intern(at: usize, size: u32): u32 {
    return this.has(this.hint, at, size) ? this.hint : this.find(at, size);
  }

  @inline
  push(id: u32): void {
    this.ids.u32(id);
  }

  @inline
  add(at: usize, size: u32): void {
    this.push(this.intern(at, size));
  }

  find(at: usize, size: u32): u32 {
    const hash = hashOf(at, size);
    let slot = hash & this.mask;
    for (;;) {
      const id = load<i32>(this.slots + slot * 4);
      if (id < 0) break;
      if (load<u32>(this.entries.data + id * ENTRY) === hash && this.has(id, at, size)) {
        this.hint = id;
        return id;
      }
      slot = (slot + 1) & this.mask;
    }
    const id = this.count++;
    store<u32>(this.slots + slot * 4, id);
    this.text.varint(size);
    this.entries.u32(hash);
    this.entries.u32(this.text.length);
    this.entries.u32(size);
    this.text.copy(at, size);
    if (this.count * 2 > this.mask) this.rehash();
    this.hint = id;
    return id;
  }

  private rehash(): void {
    this.makeSlots((this.mask + 1) * 2);
    for (let id: u32 = 0; id < this.count; id++) {
      let slot = load<u32>(this.entries.data + id * ENTRY) & this.mask;
      while (load<i32>(this.slots + slot * 4) >= 0) slot = (slot + 1) & this.mask;
      store<u32>(this.slots + slot * 4, id);
    }
  }

  @inline
  textAt(id: u32): usize {
    return this.text.data + load<u32>(this.entries.data + id * ENTRY, 4);
  }

  @inline
  sizeOf(id: u32): u32 {
    return load<u32>(this.entries.data + id * ENTRY, 8);
  }

  /** Writes the rows' ids as narrow as they fit, and gives that: 0 for 8 bits, 1 for 16, 2 for 32. Nothing but `reset` may follow. */
  narrow(): u32 {
    const data = this.ids.data;
    const length = this.ids.length;
    if (this.count > 65_536) return 2;
    const wide = this.count > 256;
    for (let from: u32 = 0, to = data; from < length; from += 4) {
      const id = load<u32>(data + from);
      if (wide) store<u16>(to, id);
      else store<u8>(to, id);
      to += wide ? 2 : 1;
    }
    this.ids.length = wide ? length / 2 : length / 4;
    return wide ? 1 : 0;
  }

  /** What it holds. */
  bytes(): u32 {
    return this.text.length + this.ids.length + this.entries.length;
  }

  free(): void {
    heap.free(this.slots);
    this.text.free();
    this.ids.free();
    this.entries.free();
    heap.free(changetype<usize>(this));
  }
}
