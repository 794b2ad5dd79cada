import {
  ANY_VALUE_BOOL_VALUE as BOOL_VALUE,
  ANY_VALUE_DOUBLE_VALUE as DOUBLE_VALUE,
  ANY_VALUE_INT_VALUE as INT_VALUE,
  ANY_VALUE_STRING_VALUE as STRING_VALUE,
} from '../generated/tags';
import { Bytes } from './bytes';
import { pos, varint, varint64 } from './wire';

/** Letters of `*_types` (docs/adr/otlp/0010). */
export const TEXT: u32 = 115;
export const BOOL: u32 = 98;
const INT: u32 = 105;
const DOUBLE: u32 = 100;

const MOST_DIGITS: u32 = 20;
const MOST_HUNDREDTHS: f64 = 2_147_483_648;
/** "true" and "fals" as they lie in memory. */
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const E: u32 = 101;
const ZERO: u32 = 48;
const POINT: u32 = 46;

/** `value` with its last `decimals` digits behind a point. */
function writeDigits(value: u64, decimals: u32, into: Bytes): void {
  let count: u32 = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) count++;
  if (count <= decimals) count = decimals + 1;
  const size = count + (decimals > 0 ? 1 : 0);
  const begin = into.room(MOST_DIGITS + 2);
  store<u8>(begin, size);
  let to = begin + size;
  let rest = value;
  for (let digit: u32 = 0; digit < count; digit++) {
    if (decimals > 0 && digit === decimals) store<u8>(to--, POINT);
    const tenth = rest / 10;
    store<u8>(to--, ZERO + <u32>(rest - tenth * 10));
    rest = tenth;
  }
  into.length += size + 1;
}

/** Doubles with at most two decimals, as most are: so few digits have no shorter text that means the same double. False for others. */
function writeDouble(value: f64, into: Bytes): bool {
  const hundredths = floor(value * 100 + 0.5);
  if (!(value > 0) || hundredths >= MOST_HUNDREDTHS || hundredths / 100 !== value) return false;
  const whole = <u64>hundredths;
  if (whole % 100 === 0) writeDigits(whole / 100, 0, into);
  else if (whole % 10 === 0) writeDigits(whole / 10, 1, into);
  else writeDigits(whole, 2, into);
  return true;
}

function writeText(at: usize, end: usize, into: Bytes): u32 {
  const short: u32 = load<u8>(at);
  if (short < 128) {
    if (at + 1 + short !== end) return 0;
    // Its length lies before it as the column wants it.
    into.copy(at, short + 1);
    return TEXT;
  }
  const size = varint(at);
  if (pos + size !== end || size > into.mostText) return 0;
  into.text(pos, size);
  return TEXT;
}

function writeInteger(at: usize, end: usize, into: Bytes): u32 {
  const value = varint64(at);
  if (pos !== end || <i64>value < 0) return 0;
  writeDigits(value, 0, into);
  return INT;
}

function writeBoolean(isTrue: bool, into: Bytes): u32 {
  const to = into.room(8);
  store<u8>(to, isTrue ? 4 : 5);
  store<u32>(to + 1, isTrue ? TRUE : FALS);
  store<u8>(to + 5, E);
  into.length += isTrue ? 5 : 6;
  return BOOL;
}

/**
 * Writes the AnyValue from `at` to `end` as an entry of a String column and gives its letter; 0, and nothing written, for what is not a
 * text within the column's bound, a boolean, a positive integer or a short double, and that alone.
 */
export function writePlain(at: usize, end: usize, into: Bytes): u32 {
  if (at >= end) return 0;
  const tag: u32 = load<u8>(at);
  if (tag === STRING_VALUE) return writeText(at + 1, end, into);
  if (tag === INT_VALUE) return writeInteger(at + 1, end, into);
  if (tag === BOOL_VALUE && at + 2 === end && load<u8>(at + 1) < 128) return writeBoolean(load<u8>(at + 1) !== 0, into);
  return tag === DOUBLE_VALUE && at + 9 === end && writeDouble(load<f64>(at + 1), into) ? DOUBLE : 0;
}
