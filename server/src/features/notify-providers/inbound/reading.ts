import type { NativeReading, ObjectNews } from '#kernel';

/** What readers have in common. Bodies are strangers': few fields are read, the rest is left alone, and nothing throws. */

const MOST = 200;

export const nothing = (event: string, delivery: string | null): NativeReading => ({
  ...{ delivery, event, outcome: 'nothing', news: [], reason: '', needsNames: null },
});

export const notUnderstood = (event: string, reason: string, delivery: string | null = null): NativeReading => ({
  ...{ delivery, event, outcome: 'not_understood', news: [], reason, needsNames: null },
});

interface Told {
  event: string;
  delivery: string | null;
  needsNames?: string | null;
}

export const newsOf = ({ event, delivery, needsNames = null }: Told, news: ObjectNews): NativeReading => ({
  ...{ delivery, event, outcome: 'news', news: [news], reason: '', needsNames },
});

/** Text of a body, as far as anybody needs it; undefined where there is none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MOST) : undefined;

export const numberOf = (value: unknown): number | null => {
  const read =
    typeof value === 'number' ? value : typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(read) ? read : null;
};

export const momentOf = (value: unknown): number | null => {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(atMs) ? atMs : null;
};

/** Ours begin so, those of tests too. */
export const isKey = (value: string | undefined): value is string => value?.startsWith('svc-') ?? false;
