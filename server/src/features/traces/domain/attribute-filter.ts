import { AppError } from '#kernel';

/** One condition on an attribute of a span or of its resource. */
export interface AttributeFilter {
  key: string;
  /** `differs` is all but `equals`: a span without the key is one of them. `contains` ignores case. The last four compare numbers. */
  test: 'equals' | 'differs' | 'contains' | 'exists' | 'absent' | Comparison;
  value: string;
}

export type Comparison = 'above' | 'below' | 'atLeast' | 'atMost';

const MAX_KEY = 256;

const OPERATORS: Readonly<Record<string, AttributeFilter['test']>> = {
  '=': 'equals',
  '==': 'equals',
  '!=': 'differs',
  '~': 'contains',
  '>': 'above',
  '<': 'below',
  '>=': 'atLeast',
  '<=': 'atMost',
};
/** The first operator counts, the longest where several begin: `a=b>c` asks for the value `b>c`. */
const CONDITION = /^([^=~<>]*?)(==|=~|!=|!~|>=|<=|=|~|>|<)(.*)$/s;
/** What the store reads as a number: no blanks, no `inf`, nothing beyond a double. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const USAGE = 'Write key=value, key!=value, key~part, key>5 (or >=, <, <=), key or !key.';

function refuse(text: string, message = USAGE): never {
  throw new AppError('validation', `This is not a filter on an attribute: ${text.slice(0, 80)}`, {
    faults: [{ path: 'attribute', message }],
  });
}

/** The number that a text is; undefined for any other text. */
export function numberOf(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

export const isComparison = (test: AttributeFilter['test']): test is Comparison =>
  test === 'above' || test === 'below' || test === 'atLeast' || test === 'atMost';

/**
 * `key=value` (or `==`), `key!=value`, `key~part`, `key>5`, `key` (has it) or `!key` (has it not); `validation` for a key that is empty or
 * too long, a comparison with what is not a number, and for patterns (`=~`, `!~`).
 */
export function parseAttributeFilter(text: string): AttributeFilter {
  const [, before, operator = '', after = ''] = CONDITION.exec(text) ?? [];
  const test = OPERATORS[operator];
  if (before !== undefined && test === undefined)
    return refuse(text, 'Patterns are not supported. Use key~text to match part of a value.');
  const filter: AttributeFilter =
    before === undefined || test === undefined
      ? { key: text.replace(/^!/, ''), test: text.startsWith('!') ? 'absent' : 'exists', value: '' }
      : { key: before, test, value: after };
  filter.key = filter.key.trim();
  if (filter.key === '' || filter.key.length > MAX_KEY) return refuse(text);
  if (isComparison(filter.test)) {
    filter.value = filter.value.trim();
    if (numberOf(filter.value) === undefined) return refuse(text, 'A number must follow >, >=, < or <=.');
  }
  if (filter.test === 'contains' && filter.value === '') return refuse(text, 'Text must follow ~.');
  return filter;
}
