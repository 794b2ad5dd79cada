import type { TestSpec } from '@svc/contracts/tests/test';

export interface ChangedField {
  /** Dotted, such as `params.assertions.status`. */
  path: string;
  /** As JSON; null where it is not there. */
  before: string | null;
  after: string | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** JSON with the keys of every object in order, so that two spellings of one thing are equal. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .filter((key) => value[key] !== undefined)
      .map((key) => [key, canonical(value[key])]),
  );
};

function compare(before: unknown, after: unknown, path: string): ChangedField[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => compare(before[key], after[key], path === '' ? key : `${path}.${key}`));
  }
  const [was, is] = [textOf(canonical(before)), textOf(canonical(after))];
  return was === is ? [] : [{ path, before: was, after: is }];
}

/** What differs between two tests, field by field; lists are compared as a whole. Empty: they are the same. */
export const diffTests = (before: TestSpec, after: TestSpec): ChangedField[] => compare(before, after, '');
