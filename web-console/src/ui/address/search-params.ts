/** The URL's query as plain text: repeated keys are lists. Values stay readable, no JSON in the address bar. */
export type RawSearch = Record<string, string | string[]>;

export function parseSearch(text: string): RawSearch {
  const raw: RawSearch = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const before = raw[key];
    if (before === undefined) raw[key] = value;
    else raw[key] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return raw;
}

/** The reverse of parseSearch; undefined, empty text and empty lists leave no trace. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== '') params.append(key, String(item));
    }
  }
  const text = params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}

export const textOf = (value: unknown): string | undefined => {
  const one = Array.isArray(value) ? value[0] : value;
  if (typeof one === 'number') return String(one);
  return typeof one === 'string' && one !== '' ? one : undefined;
};

/** A list of at most 50 distinct values, or undefined when there is none. */
export function listOf(value: unknown): string[] | undefined {
  const items = (Array.isArray(value) ? value : [value]).map(textOf).filter((item) => item !== undefined);
  return items.length > 0 ? [...new Set(items)].slice(0, 50) : undefined;
}

/** A finite number within bounds, or undefined. */
export function numberOf(value: unknown, [min, max]: readonly [number, number]): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isFinite(number) && number >= min && number <= max ? number : undefined;
}

/** Only the members of a closed list; what is not one is dropped. */
export function membersOf<T extends string>(value: unknown, allowed: readonly T[]): T[] | undefined {
  const known = listOf(value)?.filter((item): item is T => (allowed as readonly string[]).includes(item));
  return known && known.length > 0 ? known : undefined;
}
