/** Names of devices have few words. */
const MOST_WORDS = 5;
const EDGES = /^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu;

/** Whatever could be a name in a request: each word and what stands behind it, in lower case, each once. */
export function phrasesOf(prompt: string): string[] {
  const words = prompt.toLowerCase().split(/\s+/).filter(Boolean);
  const phrases = new Set<string>();
  for (let from = 0; from < words.length; from += 1)
    for (let length = 1; length <= MOST_WORDS && from + length <= words.length; length += 1) {
      const phrase = words
        .slice(from, from + length)
        .join(' ')
        .replace(EDGES, '');
      if (phrase.length > 1 && phrase.length <= 120) phrases.add(phrase);
    }
  return [...phrases];
}
