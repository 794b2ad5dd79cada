export interface ByteRange {
  first: number;
  last: number;
}

/**
 * The one range that a `Range` header asks of a file of `size` bytes: undefined for none, for several and for what is no range of bytes
 * (all of it is sent then, as RFC 9110 permits), null where none of it exists (416).
 */
export function readRange(header: string | undefined, size: number): ByteRange | null | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match) return undefined;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const length = Number(to);
    return length === 0 || size === 0 ? null : { first: Math.max(0, size - length), last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  if (first >= size) return null;
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
