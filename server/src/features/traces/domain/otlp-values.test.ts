import { expect, test } from 'vitest';
import { toAnyValue } from './otlp-values.ts';

test.each([
  ['true', 's', { stringValue: 'true' }],
  ['true', 'b', { boolValue: true }],
  ['9223372036854775807', 'i', { intValue: '9223372036854775807' }],
  ['1', 'd', { doubleValue: 1 }],
  ['-Infinity', 'd', { doubleValue: '-Infinity' }],
  ['AP8=', 'y', { bytesValue: 'AP8=' }],
  ['', 'n', {}],
  [
    '["a",9223372036854775807,1.5,true,null,[]]',
    'a',
    {
      arrayValue: {
        values: [
          { stringValue: 'a' },
          { intValue: '9223372036854775807' },
          { doubleValue: 1.5 },
          { boolValue: true },
          {},
          { arrayValue: { values: [] } },
        ],
      },
    },
  ],
  [
    '{"k":{"n":-1}}',
    'm',
    {
      kvlistValue: { values: [{ key: 'k', value: { kvlistValue: { values: [{ key: 'n', value: { intValue: '-1' } }] } } }] },
    },
  ],
  ['["cut', 'a', { stringValue: '["cut' }],
])('%s of type %s', (text, letter, value) => {
  expect(toAnyValue(text, letter)).toEqual(value);
});
