import { fault } from './host';

/** Position behind the varint that was read last. */
export let pos: usize = 0;

/** The low 32 bits of a varint at `at`; `pos` is then behind it. */
export function varint(at: usize): u32 {
  let byte: u32 = load<u8>(at++);
  let value = byte & 127;
  for (let shift: u32 = 7; byte > 127; shift += 7) {
    byte = load<u8>(at++);
    if (shift < 32) value |= (byte & 127) << shift;
    if (shift > 63) fault();
  }
  pos = at;
  return value;
}

/** A varint at `at`, all of it; `pos` is then behind it. */
export function varint64(at: usize): u64 {
  let byte: u64 = load<u8>(at++);
  let value = byte & 127;
  for (let shift: u64 = 7; byte > 127; shift += 7) {
    byte = load<u8>(at++);
    if (shift < 64) value |= (byte & 127) << shift;
    if (shift > 63) fault();
  }
  pos = at;
  return value;
}

/** The tag at `at`; `pos` is then behind it. */
export function tagAt(at: usize): u32 {
  const tag: u32 = load<u8>(at);
  if (tag > 127) return varint(at);
  pos = at + 1;
  return tag;
}

/** Where the field with a length ends that begins at `at`; `pos` is then its first byte. */
export function enter(at: usize, end: usize): usize {
  let size: u32 = load<u8>(at);
  if (size < 128) pos = at + 1;
  else size = varint(at);
  const stop = pos + size;
  if (stop > end || stop < pos) fault();
  return stop;
}

/** The position behind `width` bytes. */
export function behind(at: usize, width: u32, end: usize): usize {
  const stop = at + width;
  if (stop > end) fault();
  return stop;
}

/** The position behind the value of a field that is of no interest. */
export function skip(tag: u32, at: usize, end: usize): usize {
  let stop = at;
  switch (tag & 7) {
    case 0:
      varint(at);
      stop = pos;
      break;
    case 1:
      stop = at + 8;
      break;
    case 2:
      return enter(at, end);
    case 5:
      stop = at + 4;
      break;
    default:
      fault();
  }
  if (stop > end) fault();
  return stop;
}

const NS_PER_MS: f64 = 1_000_000;

/** Unix milliseconds, with fractions, of eight bytes of nanoseconds. */
export function msAt(at: usize): f64 {
  return <f64>load<u64>(at) / NS_PER_MS;
}
