import type { DataCategory } from '@svc/contracts/governance/classes';

type Counts = Partial<Record<DataCategory, number>>;

export interface MaskedText {
  text: string;
  counts: Readonly<Counts>;
}

/** Texts as they may leave this server, in the same order. */
export type MaskTexts = (texts: readonly string[]) => Promise<readonly MaskedText[]>;

const REMOVED = '[removed]';
/** A name of ours or of an attribute, which says nothing of anybody. */
const PLAIN_NAME = /^[A-Za-z_][\w.-]{0,100}$/;

/** Reads as a credential where the name says so, whatever the value. */
const probe = (name: string): string => `${name}=value`;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The name that `{key, value}` gives to its value, as attributes are listed. */
const namedBy = (parent: Record<string, unknown>, key: string): string =>
  key === 'value' && typeof parent.key === 'string' ? parent.key : key;

type Visit = (text: string, name: string) => void;

function visitTexts(value: unknown, name: string, visit: Visit): void {
  if (typeof value === 'string') visit(value, name);
  else if (Array.isArray(value)) for (const one of value) visitTexts(one, name, visit);
  else if (isObject(value))
    for (const [key, one] of Object.entries(value)) {
      if (!PLAIN_NAME.test(key)) visit(key, '');
      visitTexts(one, namedBy(value, key), visit);
    }
}

/** Two names may read alike once they are masked: both stay. */
function freeName(taken: ReadonlySet<string>, name: string): string {
  for (let nth = 1; ; nth += 1) {
    const wanted = nth === 1 ? name : `${name} (${nth})`;
    if (!taken.has(wanted)) return wanted;
  }
}

interface Rebuild {
  byText: ReadonlyMap<string, MaskedText>;
  counts: Counts;
}

function maskOne({ byText, counts }: Rebuild, text: string, name: string): string {
  if (name !== '' && (byText.get(probe(name))?.counts.credential ?? 0) > 0) {
    counts.credential = (counts.credential ?? 0) + 1;
    return REMOVED;
  }
  const masked = byText.get(text);
  // What was not masked does not leave.
  if (!masked) return REMOVED;
  for (const [category, count] of Object.entries(masked.counts) as [DataCategory, number][])
    counts[category] = (counts[category] ?? 0) + count;
  return masked.text;
}

function rebuild(how: Rebuild, value: unknown, name: string): unknown {
  if (typeof value === 'string') return maskOne(how, value, name);
  if (Array.isArray(value)) return value.map((one) => rebuild(how, one, name));
  if (!isObject(value)) return value;
  const taken = new Set<string>();
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => {
    const shown = freeName(taken, PLAIN_NAME.test(key) ? key : maskOne(how, key, ''));
    taken.add(shown);
    return [shown, rebuild(how, one, namedBy(value, key))];
  });
  return Object.fromEntries(entries);
}

/**
 * Masks every text of an answer by itself, and every name that is data: masked as one JSON, escapes would hide from the patterns what they
 * look for, and what they replace would break it. A value whose name says that it is a credential goes as a whole.
 */
export async function maskLeaves(value: unknown, mask: MaskTexts): Promise<{ value: unknown; counts: Readonly<Counts> }> {
  const texts = new Set<string>();
  visitTexts(value, '', (text, name) => {
    texts.add(text);
    if (name !== '') texts.add(probe(name));
  });
  const all = [...texts];
  const masked = await mask(all);
  const byText = new Map(
    all.map((text, i) => [text, masked[i]] as const).filter((pair): pair is [string, MaskedText] => !!pair[1]),
  );
  const counts: Counts = {};
  return { value: rebuild({ byText, counts }, value, ''), counts };
}
