/** Markup that is safe to send: made by `html` alone. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | undefined | false | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

function render(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  if (isList(part)) return part.map((one) => one.markup).join('');
  return part.markup;
}

const isList = (part: Html | readonly Html[]): part is readonly Html[] => Array.isArray(part);

/** A template whose values are escaped, but for those that are Html themselves. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  markup: strings.reduce((all, text, index) => all + render(parts[index - 1]) + text),
});
