/** As in src/walk/weight.ts, which says what is weighed and why. Where this is rough it is more. */
const ROW: f64 = 192;
const ATTRIBUTE: f64 = 8;
const PART: f64 = 64;
const BUCKET: f64 = 8;
const MOST_ATTRIBUTES: u32 = 130;
const MOST_DAYS: u32 = 17;
const NOTES: f64 = 2;

/** Of the request so far, beside its bytes. */
let total: f64 = 0;
/** Every record repeats what its resource and scope say: points of metrics. */
let repeats: bool = false;
let items: u32 = 0;

/** Of the resource that is open. */
let itemsBefore: u32 = 0;
let attributes: u32 = 0;
let attributeBytes: u32 = 0;
let scopeBytes: u32 = 0;
/** How often its scopes may be written down. */
let notes: f64 = 0;

/** Of the scope that is open. */
let scopeItemsBefore: u32 = 0;
let recordBytes: u32 = 0;

export function beginWeight(repeatsShared: bool): void {
  total = 0;
  items = 0;
  repeats = repeatsShared;
}

export function weightOf(size: u32): f64 {
  return total + <f64>size;
}

/** A field with its tag, and its length as short as it can be. */
function fieldSize(begin: usize, end: usize): u32 {
  const size = <u32>(end - begin);
  return size + (size < 128 ? 2 : size < 16_384 ? 3 : size < 2_097_152 ? 4 : 5);
}

/** A span, log record or point. */
export function weighItem(): void {
  items += 1;
}

export function countPart(): void {
  total += PART;
}

/** Counts of buckets, of which each may be one byte. */
export function addBuckets(begin: usize, end: usize): void {
  total += <f64>(end - begin) * BUCKET;
}

/** Records, or metrics with their points, of the scope that is open. */
export function addRecordBytes(begin: usize, end: usize): void {
  recordBytes += fieldSize(begin, end);
}

export function countAttribute(begin: usize, end: usize): void {
  attributes += 1;
  attributeBytes += fieldSize(begin, end);
}

export function openScope(): void {
  scopeItemsBefore = items;
  recordBytes = 0;
}

export function closeScope(begin: usize, end: usize): void {
  scopeBytes += fieldSize(begin, end);
  const count = items - scopeItemsBefore;
  const header = <f64>(<u32>(end - begin) - recordBytes);
  if (repeats) {
    total += <f64>count * header;
    return;
  }
  const times = <f64>min(count, MOST_DAYS) * NOTES;
  total += times * header;
  notes += times;
}

export function weighResource(): void {
  itemsBefore = items;
  attributes = 0;
  attributeBytes = 0;
  scopeBytes = 0;
  notes = 0;
}

export function closeWeight(begin: usize, end: usize): void {
  const count = items - itemsBefore;
  const header = <f64>(<u32>(end - begin) - scopeBytes);
  if (repeats) {
    total += <f64>count * (ROW + header);
    return;
  }
  total += <f64>count * (ROW + ATTRIBUTE * <f64>min(attributes, MOST_ATTRIBUTES));
  total += <f64>min(count, MOST_DAYS) * header;
  total += notes * (header - <f64>attributeBytes);
}
