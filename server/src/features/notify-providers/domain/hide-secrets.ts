/** What no word of a provider may show. */
export interface Secrets {
  /** Looked for as they are: they hold names and addresses too, which words may well begin with. */
  whole: readonly string[];
  /** Looked for as they are, and by their beginnings and ends: an answer may be cut in the middle of what it repeats. */
  alone: readonly string[];
}

export const NO_SECRETS: Secrets = { whole: [], alone: [] };

/** What is shorter would be found in ordinary words. */
const SHORTEST = 6;
/** Of a beginning or an end. */
const SHORTEST_PART = 8;
const HIDDEN = '***';

/** `invoke` or `workflows` of an address is a word, of which half is one too. */
const isWord = (secret: string): boolean => /^[a-z]+$/.test(secret);

/** Where beginnings of a secret stand in a text, at least so long. */
function* findBeginnings(text: string, secret: string): Generator<[number, number]> {
  const start = secret.slice(0, SHORTEST_PART);
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    let length = SHORTEST_PART;
    while (length < secret.length && at + length < text.length && text[at + length] === secret[length]) length += 1;
    yield [at, at + length];
  }
}

function* findEnds(text: string, secret: string): Generator<[number, number]> {
  const end = secret.slice(-SHORTEST_PART);
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) {
    let length = SHORTEST_PART;
    while (
      length < secret.length &&
      at + SHORTEST_PART > length &&
      text[at + SHORTEST_PART - 1 - length] === secret.at(-1 - length)
    )
      length += 1;
    yield [at + SHORTEST_PART - length, at + SHORTEST_PART];
  }
}

function* findWhole(text: string, secret: string): Generator<[number, number]> {
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) yield [at, at + secret.length];
}

/** Whatever of the secrets stands in a text is hidden; places that touch or lie in each other are hidden as one. */
export function hideSecrets(text: string, { whole, alone }: Secrets): string {
  const places: [number, number][] = [];
  for (const secret of new Set([...whole, ...alone])) if (secret.length >= SHORTEST) places.push(...findWhole(text, secret));
  for (const secret of new Set(alone))
    if (secret.length > SHORTEST_PART && !isWord(secret)) places.push(...findBeginnings(text, secret), ...findEnds(text, secret));
  let shown = '';
  let end = 0;
  for (const [from, to] of places.sort(([a], [b]) => a - b)) {
    if (from > end || end === 0) shown += `${text.slice(end, from)}${HIDDEN}`;
    end = Math.max(end, to);
  }
  return shown + text.slice(end);
}
