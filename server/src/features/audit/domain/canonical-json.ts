export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** JSON with sorted keys and no white space: equal values give equal bytes. Keys whose value is undefined are left out. */
export function toCanonicalJson(value: JsonValue): string {
  if (isList(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.keys(value)
      .sort()
      .flatMap((key) => {
        const field = value[key];
        return field === undefined ? [] : [`${JSON.stringify(key)}:${toCanonicalJson(field)}`];
      });
    return `{${fields.join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('A number in canonical JSON is finite.');
  return JSON.stringify(value);
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
