/** What may be asked of an attribute, in the order of the editor's list. */
export const ATTRIBUTE_TESTS = ['=', '≠', 'contains', '>', '≥', '<', '≤', 'exists', 'is missing'] as const;
export type AttributeTest = (typeof ATTRIBUTE_TESTS)[number];

export interface AttributeParts {
  key: string;
  operator: AttributeTest;
  value: string;
}

/** As the server writes them in a link. */
const SIGNS: Readonly<Partial<Record<string, AttributeTest>>> = {
  '=': '=',
  '==': '=',
  '!=': '≠',
  '~': 'contains',
  '>': '>',
  '>=': '≥',
  '<': '<',
  '<=': '≤',
};
/** The server's own rule: the first operator counts, the longest where several begin. */
const CONDITION = /^([^=~<>]*?)(==|=~|!=|!~|>=|<=|=|~|>|<)(.*)$/s;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export const wantsValue = (test: AttributeTest): boolean => test !== 'exists' && test !== 'is missing';
export const wantsNumber = (test: AttributeTest): boolean => test === '>' || test === '≥' || test === '<' || test === '≤';

/** A filter on an attribute taken apart for its chip; undefined for a pattern (`=~`), which the server does not look for. */
export function readAttribute(text: string): AttributeParts | undefined {
  const [, key = '', sign, value = ''] = CONDITION.exec(text) ?? [];
  if (sign === undefined)
    return text.startsWith('!')
      ? { key: text.slice(1), operator: 'is missing', value: '' }
      : { key: text, operator: 'exists', value: '' };
  const operator = SIGNS[sign];
  return operator && { key, operator, value };
}

/** The text of a filter, as it stands in a link. */
export function writeAttribute({ key, operator, value }: AttributeParts): string {
  if (operator === 'exists') return key;
  if (operator === 'is missing') return `!${key}`;
  // One sign more, where the value would be taken for a part of it.
  if (operator === '=') return `${key}${/^[=~]/.test(value) ? '==' : '='}${value}`;
  const [sign] = Object.entries(SIGNS).find(([, test]) => test === operator) ?? ['='];
  return `${key}${sign}${value}`;
}

/** What is wrong with a filter, as an instruction; undefined for one that can be asked. */
export function faultOfAttribute(parts: AttributeParts | undefined): string | undefined {
  if (parts === undefined) return 'Patterns are not supported. Use “contains” to match part of a value.';
  const { key, operator, value } = parts;
  if (key.trim() === '') return 'Name an attribute';
  if (key.trim().length > 256) return 'The name is longer than 256 characters';
  if (wantsNumber(operator) && !(NUMBER.test(value.trim()) && Number.isFinite(Number(value)))) return 'Enter a number';
  return operator === 'contains' && value === '' ? 'Enter the part to find' : undefined;
}

/** What is typed as a name may be a whole condition (`http.status_code=500`, with blanks and `==` as in code); else the parts chosen count. */
export function joinTyped(chosen: AttributeParts): AttributeParts | undefined {
  const typed = readAttribute(chosen.key.trim());
  if (typed === undefined) return undefined;
  const { key, operator, value } = typed;
  if (operator === 'exists') return { ...chosen, key };
  return { key: key.trim(), operator, value: value.trim() };
}
