import { TestSpec } from '@svc/contracts/tests/test';
import { TEST_TYPES } from '@svc/contracts/tests/test-types';
import { expect, it } from 'vitest';
import { ASSERTIONS, GROUPS, type TestField } from './field-list.ts';
import { fitTarget } from './infer-type.ts';
import { FIRST_PARAMS, fromText, readAt, toText, writeAt } from './params.ts';

const fieldsOf = (type: (typeof TEST_TYPES)[number]): readonly TestField[] => [
  ...ASSERTIONS[type],
  ...GROUPS[type].flatMap(({ fields }) => fields),
];

/** A text that each field takes. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'assertions.status': '200\n3xx',
  'assertions.json': '$.status = "ok"\n$.items[0]',
  'assertions.headers': 'content-type: json\nserver = nginx\nvary ~ ^Accept\netag',
  headers: 'Accept: text/html',
  'tls.client_certificate': 'SHOP_CLIENT',
  'tls.server_name': 'shop.example',
  resolver: '10.0.0.53',
  'viewport.width': '800',
  'viewport.height': '600',
};

function example({ path, kind, options }: TestField): unknown {
  if (kind === 'flag') return true;
  if (kind === 'choice') return fromText({ kind, path }, options?.at(-1)?.value ?? '');
  return fromText({ kind, path }, EXAMPLES[path] ?? (kind === 'number' || kind === 'percent' ? '10' : 'abc'));
}

it.each(TEST_TYPES)('has only fields that the schema of %s takes, and keeps what was typed', (type) => {
  for (const field of fieldsOf(type)) {
    const params = writeAt(FIRST_PARAMS[type], field.path, example(field));
    const read = TestSpec.safeParse({ name: 'a', type, target: fitTarget(type, 'shop.example'), params });
    expect([field.path, read.error?.issues]).toEqual([field.path, undefined]);
    const kept = readAt(read.data?.params as never, field.path);
    if (field.kind === 'flag') expect(kept).toBe(true);
    else expect(fromText(field, toText(field, kept))).toEqual(example(field));
  }
});

it.each(TEST_TYPES)('begins a test of type %s with parameters that the schema takes', (type) => {
  const read = TestSpec.safeParse({ name: 'a', type, target: fitTarget(type, 'shop.example'), params: FIRST_PARAMS[type] });
  expect(read.error?.issues).toBeUndefined();
});

it('leaves a value that is no number for the server to refuse at its field', () => {
  expect(fromText({ kind: 'number', path: 'assertions.total_ms' }, 'soon')).toBe('soon');
  expect(fromText({ kind: 'number', path: 'assertions.total_ms' }, ' ')).toBeUndefined();
});
