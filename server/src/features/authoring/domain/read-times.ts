import { before, behind, type Details, some } from './details.ts';
import { has } from './item.ts';
import type { Part } from './split-tests.ts';
import { DAY } from './words/quantities.ts';

/** How often, how long at most, how fast: what each duration of a segment is. */

type Bound = keyof Details['bounds'];

const isTime = (item: Part): boolean => item.kind === 'duration' || item.kind === 'rhythm';
const isPause = (item: Part): boolean => isTime(item) || (item.kind === 'mark' && item.text === ',');
const ends = (item: Part): boolean => isTime(item) || item.kind === 'percent';

/** What is bounded: of several words the nearest one. */
function boundOf(items: readonly Part[], at: number): Bound {
  const around = [
    ...before(items, at, { most: 7, stops: (item) => ends(item) || item.kind === 'quote' }),
    ...behind(items, at, { most: 5, stops: (item) => ends(item) || isPause(item) || has(item, 'and', 'or', 'but') }),
  ];
  for (const item of around) {
    if (has(item, 'jitter')) return 'jitter';
    if (has(item, 'firstbyte')) return 'first_byte';
    if (has(item, 'handshake')) return 'tls';
    if (item.folded === 'dns' || item.folded === 'dns lookup') return 'dns';
    if (has(item, 'trip')) return 'trip';
    if (has(item, 'open', 'connect')) return 'connect';
    if (has(item, 'responsetime', 'load', 'answers')) return 'total';
  }
  return 'total';
}

function isInterval(items: readonly Part[], at: number): boolean {
  const [first, second] = before(items, at, { most: 2, stops: isTime });
  if (has(first, 'every', 'all') || (has(second, 'every') && has(first, 'filler', 'at', 'per', 'other'))) return true;
  return has(behind(items, at, { most: 1, stops: isPause })[0], 'every');
}

function readCertificateDays(items: readonly Part[], at: number, details: Details): boolean {
  const value = items[at]?.value ?? 0;
  if (value < DAY || !some(items, 'certificate', 'expire')) return false;
  const [first] = before(items, at, { most: 1 });
  if (has(first, 'every', 'all', 'per')) return false;
  details.certificateDays = Math.round(value / DAY);
  return true;
}

function readDuration(items: readonly Part[], at: number, details: Details): void {
  const item = items[at] as Part;
  const value = item.value ?? 0;
  const left = before(items, at, { most: 4, stops: isTime });
  const right = behind(items, at, { most: 2, stops: isPause });
  const nearest = left.findIndex((one) => has(one, 'timeout'));
  const bounding = left.findIndex((one) => has(one, 'below', 'above', 'atleast'));
  if (isInterval(items, at) && !has(right[0], 'timeout')) details.everyMs = value;
  else if (nearest >= 0 && (bounding < 0 || nearest <= bounding + 1)) details.timeoutMs = value;
  else if (has(right[0], 'timeout')) details.timeoutMs = value;
  else if (readCertificateDays(items, at, details)) return;
  else if (some(left, 'ttl')) details.unclear.push('Bounds of a TTL are set on the page of the test.');
  else if (
    bounding >= 0 ||
    some(behind(items, at, { most: 3, stops: isPause }), 'below', 'above') ||
    some(left, 'responsetime', 'trip', 'firstbyte', 'jitter', 'after')
  )
    details.bounds[boundOf(items, at)] = value;
  else details.unclear.push(`Say what “${item.text}” is: how often it runs, how long it may take, or when to give up.`);
}

export function readTimes(items: readonly Part[], details: Details): void {
  for (const [at, item] of items.entries()) {
    if (item.kind === 'rhythm') details.everyMs = item.value ?? 0;
    if (item.kind === 'duration') readDuration(items, at, details);
    // A unit without a number that something is said of: better asked than left out.
    const isUnit = item.kind === 'word' && [...item.tags].some((tag) => tag.startsWith('unit:'));
    if (isUnit && some(before(items, at, { most: 5, stops: isPause }), 'below', 'above', 'timeout'))
      details.unclear.push(`Say how many of “${item.text}” are meant, as a number.`);
  }
}

/** Shares are of lost packets; nothing else of a test has one. */
export function readShares(items: readonly Part[], details: Details): void {
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'percent') continue;
    const near = [...before(items, at, { most: 6 }), ...behind(items, at, { most: 4 })];
    if (some(near, 'loss')) details.lossRatio = (item.value ?? 0) / 100;
    else details.unclear.push(`Say what “${item.text}” is: only the loss of packets is bounded by a share.`);
  }
}
