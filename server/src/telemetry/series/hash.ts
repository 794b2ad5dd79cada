import { AppError } from '#kernel';
import { SERIES_LABELS, type SeriesKey, type SeriesLabel, type SeriesLabels, type SeriesOwner } from '../ports.ts';

/** 64 bits as two unsigned halves: no bigint on the hot path. */
export interface Hash {
  low: number;
  high: number;
}

const FIRST = 0x85ebca6b;
const SECOND = 0xc2b2ae35;

/** 64-bit hash of a text. Stored fingerprints are made of it: never change it without a migration of `series` and `samples`. */
export function hashText(text: string): Hash {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2_654_435_761);
    high = Math.imul(high ^ code, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return { low: low >>> 0, high: high >>> 0 };
}

const mix = (a: number, b: number, c: number): number => {
  let mixed = Math.imul(a ^ b, FIRST);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed + c, SECOND);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

export const combineLow = (a: Hash, low: number, high: number): number => mix(a.low, high, low);
export const combineHigh = (a: Hash, low: number, high: number): number => mix(a.high ^ 0x9e3779b9, low, high);

/** Hash of the labels that a group of samples shares; the tenant is not in it, rows of tenants lie apart anyway. */
export const hashOwner = (owner: SeriesOwner): Hash =>
  hashText(`${owner.agent ?? ''}\0${owner.test ?? ''}\0${owner.target ?? ''}\0${owner.app ?? ''}`);

/** Prepares metric and the labels that differ within a group. */
export function seriesKey(metric: string, labels: SeriesLabels = {}): SeriesKey {
  const { low, high } = hashText(`${metric}\0${labels.hop ?? ''}\0${labels.segment ?? ''}\0${labels.layer ?? ''}`);
  return { metric, labels, hashLow: low, hashHigh: high };
}

const KNOWN: ReadonlySet<string> = new Set(SERIES_LABELS);

/** Splits a flat set of labels into the shared and the differing ones; `validation` for a label that series may not have. */
export function splitLabels(labels: Readonly<Record<string, string>>): {
  owner: Omit<SeriesOwner, 'tenant'>;
  rest: SeriesLabels;
} {
  for (const name of Object.keys(labels)) {
    if (!KNOWN.has(name)) throw new AppError('validation', `A series cannot have the label "${name}".`);
  }
  const { agent, test, target, app, ...rest } = labels as SeriesLabels;
  const given = { ...(agent && { agent }), ...(test && { test }), ...(target && { target }), ...(app && { app }) };
  return { owner: given, rest };
}

/** All labels of one series, absent ones left out. */
export function joinLabels(owner: SeriesOwner, key: SeriesKey): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const name of SERIES_LABELS) {
    const value = labelOf(owner, key.labels, name);
    if (value !== undefined && value !== '') labels[name] = value;
  }
  return labels;
}

const labelOf = (owner: SeriesOwner, labels: SeriesLabels, name: SeriesLabel): string | undefined =>
  name === 'agent' || name === 'test' || name === 'target' || name === 'app' ? owner[name] : labels[name];
