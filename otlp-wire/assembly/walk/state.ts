import {
  ANY_VALUE_BOOL_VALUE as BOOL_VALUE,
  ANY_VALUE_INT_VALUE as INT_VALUE,
  KEY_VALUE_KEY as KEY,
  ANY_VALUE_STRING_VALUE as STRING_VALUE,
  KEY_VALUE_VALUE as VALUE,
} from '../generated/tags';
import { refuse } from './host';

/** Nested messages, the request itself being the first. Below the 100 at which other parsers give up. */
export const MAX_DEPTH: u32 = 64;
/** So that stamping makes no large request out of a flood of empty resources. */
const MAX_RESOURCES: u32 = 65_536;

/** Reasons, as src/walk/walk-fault.ts numbers them. */
export const TRUNCATED: u32 = 0;
const OVER_32_BITS: u32 = 1;
const OVER_64_BITS: u32 = 2;
const NUMBER_0: u32 = 3;
const UNUSED_WIRE_TYPE: u32 = 4;
export const NOT_UTF8: u32 = 5;
export const WRONG_WIRE_TYPE: u32 = 6;
export const WRONG_LENGTH: u32 = 7;
export const TWO_KINDS: u32 = 8;
export const TOO_DEEP: u32 = 9;
const TOO_MANY_RESOURCES: u32 = 10;
const RESOURCE_TWICE: u32 = 11;
const TENANT_TWICE: u32 = 12;
const WRONG_TENANT: u32 = 13;

/** Tags of KeyValue and AnyValue. */
const HIGH_BITS: u64 = (0x80808080 << 32) | 0x80808080;

const KEY_BYTES: u32 = 13;
const tenantKey = memory.data<u8>([115, 118, 99, 46, 116, 101, 110, 97, 110, 116, 46, 105, 100]);
const NS_PER_MS: f64 = 1_000_000;
/** Bytes of the seven numbers of a resource that is to be stamped (src/walk/stamp.ts). */
const EDIT: u32 = 28;

/** What the host gives and asks for, of one request. */
@unmanaged
@final
class Request {
  /** Unix ms; the three are the host's. */
  nowMs: f64 = 0;
  oldestMs: f64 = 0;
  newestMs: f64 = 0;
  /** Of the items that are in time. */
  minTs: f64 = 0;
  maxTs: f64 = 0;
  weight: f64 = 0;
  items: u32 = 0;
  rejected: u32 = 0;
  resources: u32 = 0;
  edits: u32 = 0;
  editsAt: usize = 0;
  tenant: usize = 0;
  tenantSize: u32 = 0;
}

const request = new Request();
/** Where the host finds it. */
export function requestAt(): usize {
  return changetype<usize>(request);
}

/** Position behind the varint that was read last. */
export let pos: usize = 0;

let base: usize = 0;
let editsCapacity: u32 = 0;
/** Of the ResourceSpans, ResourceLogs or ResourceMetrics that is open, and of the Resource in it, 0 without. */
let lengthAt: usize = 0;
let start: usize = 0;
let resourceLengthAt: usize = 0;
let resourceStart: usize = 0;
let resourceEnd: usize = 0;
let insertAt: usize = 0;
let hasTenant: bool = false;

export function begin(at: usize): void {
  base = at;
  request.items = 0;
  request.rejected = 0;
  request.resources = 0;
  request.edits = 0;
  request.minTs = Infinity;
  request.maxTs = -Infinity;
}

/** What the store makes of the request, about (weight.ts). */
export function noteWeight(weight: f64): void {
  request.weight = weight;
}

/** The varint of 32 bits that begins at p; `pos` is what follows it. */
export function readLong(p: usize, end: usize): u32 {
  let value: u32 = 0;
  for (let shift: u32 = 0; ; shift += 7) {
    if (p >= end) refuse(TRUNCATED, 0);
    const byte: u32 = load<u8>(p++);
    if (shift === 28 && byte > 15) refuse(OVER_32_BITS, 0);
    value |= (byte & 127) << shift;
    if (byte < 128) break;
  }
  pos = p;
  return value;
}

/** The place after the varint of 64 bits at p. */
export function skipVarint(p: usize, end: usize): usize {
  for (let count = 1; p < end; count += 1) {
    const byte: u32 = load<u8>(p++);
    if (count === 10 && byte > 1) refuse(OVER_64_BITS, 0);
    if (byte < 128) return p;
  }
  refuse(TRUNCATED, 0);
  return end;
}

/** Where the field ends whose length begins at p; `pos` is then its first byte. */
export function fieldEnd(p: usize, end: usize): usize {
  let length: u32 = load<u8>(p);
  pos = p + 1;
  if (length > 127 || p >= end) length = readLong(p, end);
  if (length > <u32>(end - pos)) refuse(TRUNCATED, 0);
  return pos + length;
}

/** The place after an unknown field whose tag ended at p. OTLP never had groups. */
export function skip(tag: u32, p: usize, end: usize): usize {
  if (tag >>> 3 === 0) refuse(NUMBER_0, 0);
  switch (tag & 7) {
    case 0:
      return skipVarint(p, end);
    case 1:
      return behind(p, 8, end);
    case 2:
      return fieldEnd(p, end);
    case 5:
      return behind(p, 4, end);
  }
  refuse(UNUSED_WIRE_TYPE, 0);
  return end;
}

/** The place after so many bytes. */
export function behind(p: usize, width: u32, end: usize): usize {
  if (<u32>(end - p) < width) refuse(TRUNCATED, 0);
  return p + width;
}

/** A text is nearly always ASCII, which is looked through eight bytes at a time; whole words are read beyond its end. */
export function isText(at: usize, end: usize): bool {
  return isAscii(at, end) || isUtf8(at, end);
}

function isAscii(at: usize, end: usize): bool {
  let p = at;
  for (; p + 8 <= end; p += 8) if ((load<u64>(p) & HIGH_BITS) !== 0) return false;
  return p === end || ((load<u64>(p) << ((8 - <u32>(end - p)) * 8)) & HIGH_BITS) === 0;
}

/**
 * Whether a KeyValue is written as nearly all are: an ASCII key, then a value that is an ASCII text, a boolean or a small number, each length in one byte.
 * Such a one is right as a whole, since no byte of it is above 127.
 */
export function isPlainPair(at: usize, end: usize): bool {
  if (!isAscii(at, end)) return false;
  const value = at + 2 + load<u8>(at + 1);
  if (value + 4 > end || load<u8>(at) !== KEY || load<u8>(value) !== VALUE) return false;
  const size: u32 = load<u8>(value + 1);
  if (value + 2 + size !== end) return false;
  const tag: u32 = load<u8>(value + 2);
  return tag === STRING_VALUE ? size === 2 + <u32>load<u8>(value + 3) : size === 2 && (tag === BOOL_VALUE || tag === INT_VALUE);
}

/** By RFC 3629: no overlong forms, no surrogates, nothing over U+10FFFF. */
function isUtf8(at: usize, end: usize): bool {
  let p = at;
  while (p < end) {
    const lead: u32 = load<u8>(p++);
    if (lead < 0x80) continue;
    const more: u32 = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
    if (more === 0 || p + more > end) return false;
    const second: u32 = load<u8>(p);
    if (lead === 0xe0 && second < 0xa0) return false;
    if (lead === 0xed && second > 0x9f) return false;
    if (lead === 0xf0 && second < 0x90) return false;
    if (lead === 0xf4 && second > 0x8f) return false;
    for (const until = p + more; p < until; p++) if ((load<u8>(p) & 0xc0) !== 0x80) return false;
  }
  return true;
}

/** Unix nanoseconds. */
export function timeAt(p: usize): f64 {
  return <f64>load<u64>(p);
}

/** A span by its start, a log record by the first of its times that is given, or a point. */
export function countItem(timeNs: f64): void {
  request.items += 1;
  const ms = timeNs / NS_PER_MS;
  if (ms >= request.oldestMs && ms <= request.newestMs) {
    if (ms < request.minTs) request.minTs = ms;
    if (ms > request.maxTs) request.maxTs = ms;
  } else request.rejected += 1;
}

/** The time of what has none. */
export function receiveTime(): f64 {
  return request.nowMs * NS_PER_MS;
}

/** A ResourceSpans, ResourceLogs or ResourceMetrics begins; its length stands at `at`. */
export function openResource(at: usize, p: usize): void {
  lengthAt = at;
  start = p;
  resourceLengthAt = 0;
  hasTenant = false;
  request.resources += 1;
  if (request.resources > MAX_RESOURCES) refuse(TOO_MANY_RESOURCES, 0);
}

export function closeResource(end: usize): void {
  if (hasTenant) return;
  if (request.edits === editsCapacity) {
    editsCapacity = max(64, editsCapacity * 2);
    const bytes = editsCapacity * EDIT;
    request.editsAt = request.editsAt === 0 ? heap.alloc(bytes) : heap.realloc(request.editsAt, bytes);
  }
  const edit = request.editsAt + request.edits * EDIT;
  store<u32>(edit, lengthAt - base);
  store<u32>(edit, start - base, 4);
  store<u32>(edit, end - base, 8);
  store<i32>(edit, resourceLengthAt === 0 ? -1 : <i32>(resourceLengthAt - base), 12);
  store<u32>(edit, resourceStart - base, 16);
  store<u32>(edit, resourceEnd - base, 20);
  store<u32>(edit, insertAt - base, 24);
  request.edits += 1;
}

/** The Resource within it, whose length stands at `at`. A second one would be merged into the first by some readers and replace it for others. */
export function takeResource(at: usize, p: usize, end: usize): void {
  if (resourceLengthAt !== 0) refuse(RESOURCE_TWICE, 0);
  resourceLengthAt = at;
  resourceStart = p;
  resourceEnd = end;
  insertAt = p;
}

/** A KeyValue of a Resource, before it is walked itself. */
export function takeResourceAttribute(begin: usize, end: usize): void {
  let p = begin;
  insertAt = end;
  let keys = 0;
  let values = 0;
  let isTenant = false;
  let value: usize = 0;
  let valueEnd: usize = 0;
  while (p < end) {
    const tag = readLong(p, end);
    p = pos;
    if (tag !== KEY && tag !== VALUE) {
      p = skip(tag, p, end);
      continue;
    }
    p = fieldEnd(p, end);
    if (tag === KEY) {
      keys += 1;
      if (<u32>(p - pos) === KEY_BYTES && memory.compare(pos, tenantKey, KEY_BYTES) === 0) isTenant = true;
    } else {
      values += 1;
      value = pos;
      valueEnd = p;
    }
  }
  if (!isTenant) return;
  if (hasTenant || keys > 1 || values > 1) refuse(TENANT_TWICE, 0);
  hasTenant = true;
  if (values === 0 || !isOwnTenant(value, valueEnd)) refuse(WRONG_TENANT, 0);
}

/** Whether an AnyValue is the tenant as one plain string. */
function isOwnTenant(p: usize, end: usize): bool {
  const size = request.tenantSize;
  if (p >= end || load<u8>(p) !== STRING_VALUE) return false;
  const length = readLong(p + 1, end);
  return length === size && pos + length === end && memory.compare(pos, request.tenant, size) === 0;
}
