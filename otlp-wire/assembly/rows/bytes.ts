/** What may be read and written behind the end of bytes, so that copying and comparing need no tail. */
export const SLACK: u32 = 16;

const LEAST: u32 = 4096;
/** Below it a loop copies quicker than the runtime's function. */
const SHORT: u32 = 128;

/** Copies eight at a time, up to seven bytes beyond the end. */
export function copyShort(to: usize, from: usize, size: u32): void {
  if (size > SHORT) {
    memory.copy(to, from, size);
    return;
  }
  for (let at: u32 = 0; at < size; at += 8) store<u64>(to + at, load<u64>(from + at));
}

/** Whether `size` bytes are alike; looks up to seven bytes beyond both ends. */
export function alike(one: usize, other: usize, size: u32): bool {
  let left = size;
  while (left >= 8) {
    if (load<u64>(one) !== load<u64>(other)) return false;
    one += 8;
    other += 8;
    left -= 8;
  }
  return left === 0 || (load<u64>(one) ^ load<u64>(other)) << ((8 - left) * 8) === 0;
}

/** A growing run of bytes: a column's values as ClickHouse's Native format has them. */
@unmanaged
@final
export class Bytes {
  data: usize = 0;
  length: u32 = 0;
  capacity: u32 = 0;
  /** The longest text of a value that belongs into a String column; longer ones are cut by the host. */
  mostText: u32 = 4096;

  /** Makes room for `count` more, and for what is written beyond; gives the address at which they begin. */
  @inline
  room(count: u32): usize {
    if (this.length + count > this.capacity) this.grow(count);
    return this.data + this.length;
  }

  private grow(count: u32): void {
    let capacity = max(this.capacity * 2, LEAST);
    while (capacity < this.length + count) capacity *= 2;
    this.data = this.data === 0 ? heap.alloc(capacity + SLACK) : heap.realloc(this.data, capacity + SLACK);
    this.capacity = capacity;
  }

  @inline
  u8(value: u32): void {
    store<u8>(this.room(1), value);
    this.length += 1;
  }

  @inline
  u16(value: u32): void {
    store<u16>(this.room(2), value);
    this.length += 2;
  }

  @inline
  u32(value: u32): void {
    store<u32>(this.room(4), value);
    this.length += 4;
  }

  @inline
  u64(value: u64): void {
    store<u64>(this.room(8), value);
    this.length += 8;
  }

  /** `width` bytes, or zeros where there are not so many: an absent id. */
  @inline
  fixed(from: usize, size: u32, width: u32): void {
    const to = this.room(width);
    for (let at: u32 = 0; at < width; at += 8) store<u64>(to + at, size === width ? load<u64>(from + at) : 0);
    this.length += width;
  }

  varint(value: u32): void {
    let to = this.room(5);
    let rest = value;
    while (rest > 127) {
      store<u8>(to++, (rest & 127) | 128);
      rest >>>= 7;
    }
    store<u8>(to++, rest);
    this.length = <u32>(to - this.data);
  }

  @inline
  copy(from: usize, size: u32): void {
    copyShort(this.room(size), from, size);
    this.length += size;
  }

  /** An entry of a String column. */
  text(from: usize, size: u32): void {
    this.varint(size);
    this.copy(from, size);
  }

  free(): void {
    if (this.data !== 0) heap.free(this.data);
    heap.free(changetype<usize>(this));
  }
}
