import { AppError } from '#kernel';

/** One condition on an attribute of a span or of its resource. */
export interface AttributeFilter {
  key: string;
  /** `differs` is all but `equals`: a span without the key is one of them. */
  test: 'equals' | 'differs' | 'exists' | 'absent';
  value: string;
}

const MAX_KEY = 256;

/** `key=value`, `key!=value`, `key` (has it) or `!key` (has it not); `validation` for a key that is empty or too long. */
export function parseAttributeFilter(text: string): AttributeFilter {
  const at = text.indexOf('=');
  const differs = at > 0 && text[at - 1] === '!';
  const filter: AttributeFilter =
    at < 0
      ? { key: text.replace(/^!/, ''), test: text.startsWith('!') ? 'absent' : 'exists', value: '' }
      : { key: text.slice(0, differs ? at - 1 : at), test: differs ? 'differs' : 'equals', value: text.slice(at + 1) };
  filter.key = filter.key.trim();
  if (filter.key === '' || filter.key.length > MAX_KEY) {
    const faults = [{ path: 'attribute', message: 'Write key=value, key!=value, key or !key.' }];
    throw new AppError('validation', `This is no filter on an attribute: ${text.slice(0, 80)}`, { faults });
  }
  return filter;
}
