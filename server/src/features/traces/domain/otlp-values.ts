/** AnyValue of OTLP JSON: 64-bit integers are text there, bytes are base64. */
export type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number | 'NaN' | 'Infinity' | '-Infinity' }
  | { bytesValue: string }
  | { arrayValue: { values: AnyValue[] } }
  | { kvlistValue: { values: KeyValue[] } }
  | Record<string, never>;

export interface KeyValue {
  key: string;
  value: AnyValue;
}

/** An integer within JSON, with all its digits. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Objects of one such key stand for what JSON has no word for (otlp-wire/src/rows/any-value.ts). */
function toMarked(key: string, value: unknown): AnyValue | undefined {
  if (key === 'bytesValue' && typeof value === 'string') return { bytesValue: value };
  if (key === 'doubleValue' && typeof value === 'string') return toDouble(value);
  if (key !== 'kvlistValue' || !Array.isArray(value)) return undefined;
  return {
    kvlistValue: { values: value.map((entry) => ({ key: String(entry?.key ?? ''), value: toNested(entry?.value ?? null) })) },
  };
}

function toNested(value: unknown): AnyValue {
  if (value instanceof Digits) return { intValue: value.text };
  if (typeof value === 'number') return { doubleValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toNested) } };
  if (value === null) return {};
  const entries = Object.entries(value as object);
  const marked = entries.length === 1 && entries[0] ? toMarked(...entries[0]) : undefined;
  return marked ?? { kvlistValue: { values: entries.map(([key, of]) => ({ key, value: toNested(of) })) } };
}

/** What JSON.parse gives a reviver beside the value (ES2025), which the library's types do not know yet. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) ? new Digits(source) : value;

function toDouble(text: string): AnyValue {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return { doubleValue: text };
  return { doubleValue: Number(text) };
}

function parseNested(text: string): AnyValue {
  try {
    return toNested(JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown));
  } catch {
    return { stringValue: text };
  }
}

/** A value as it was sent, out of its text and the letter of its type (docs/adr/otlp/0010). */
export function toAnyValue(text: string, letter: string): AnyValue {
  switch (letter) {
    case 'b':
      return { boolValue: text === 'true' };
    case 'i':
      return { intValue: text };
    case 'd':
      return toDouble(text);
    case 'y':
      return { bytesValue: text };
    case 'a':
    case 'm':
      return parseNested(text);
    case 'n':
      return {};
    default:
      return { stringValue: text };
  }
}
