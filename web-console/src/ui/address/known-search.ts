/** One value of an address that its page does not know. */
export interface LeftOut {
  key: string;
  value: string;
}

/**
 * A route's validator from its decoder: what the decoder leaves out is taken out of the address as well. Without that the router hands the
 * raw value on, which no page expects.
 */
export const knownSearch =
  <Search extends object>(decode: (raw: Record<string, unknown>) => Search) =>
  (raw: Record<string, unknown>): Search => {
    const none = Object.fromEntries(Object.keys(raw).map((key) => [key, undefined]));
    return { ...none, ...decode(raw) };
  };

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => (one === undefined || one === null ? [] : [String(one)]));

/** Shorter than any bound on a text, so that only cut texts are taken for cut. */
const LEAST_CUT = 50;

const means = (asked: string, known: string): boolean =>
  asked.toLowerCase() === known.toLowerCase() ||
  (asked.trim() !== '' && Number(asked) === Number(known)) ||
  (known.length >= LEAST_CUT && asked.startsWith(known));

/** The values of an address that did not come through its page's validator. `usual`: values that mean the same as none. */
export function leftOut(asked: Record<string, unknown>, known: object, usual: Readonly<Record<string, string>> = {}): LeftOut[] {
  return Object.entries(asked).flatMap(([key, value]) => {
    const kept = texts((known as Record<string, unknown>)[key]);
    return texts(value)
      .filter((text) => text !== '' && text !== usual[key] && !kept.some((one) => means(text, one)))
      .map((text) => ({ key, value: text }));
  });
}
