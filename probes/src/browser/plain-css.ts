/** Pseudo-classes that say what an element is or where it stands, and nothing of what it holds. */
const STRUCTURE = new Set([
  ...[
    'root',
    'first-child',
    'last-child',
    'only-child',
    'nth-child',
    'nth-last-child',
    'first-of-type',
    'last-of-type',
    'only-of-type',
  ],
  ...['nth-of-type', 'nth-last-of-type', 'checked', 'disabled', 'enabled', 'required', 'optional', 'focus', 'visible', 'link'],
  ...['not', 'is', 'where', 'has'],
]);
const PART = {
  attribute: /\[\s*[A-Za-z_][\w-]*\s*(?:=\s*(?:"[^"\\]*"|'[^'\\]*'|[\w-]+)\s*)?\]/y,
  pseudo: /:([a-z-]+)/y,
  name: /[.#]?-?[A-Za-z_][\w-]*|\*/y,
  count: /\(\s*(?:odd|even|[+-]?\d*n?(?:\s*[+-]\s*\d+)?)\s*\)/y,
  // Two of them in a row begin another engine of selectors.
  between: /\s*>(?!\s*>)\s*|\s*[+~,]\s*|\s+/y,
  bracket: /[()]/y,
} as const;

/**
 * Whether a selector asks for elements by what they are: a beginning, an end or a part of an attribute or a text would, asked for again and
 * again, read out what a page shows of a secret. What is asked for as a whole has to be known already.
 */
export function isPlainCss(selector: string): boolean {
  const text = selector.trim();
  let at = 0;
  const take = (part: keyof typeof PART): RegExpExecArray | null => {
    const pattern = PART[part];
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    const pseudo = take('pseudo');
    if (pseudo) {
      const name = pseudo[1] ?? '';
      if (!STRUCTURE.has(name) || (name.startsWith('nth-') && !take('count'))) return false;
    } else if (!take('attribute') && !take('name') && !take('between') && !take('bracket')) return false;
  }
  return true;
}
