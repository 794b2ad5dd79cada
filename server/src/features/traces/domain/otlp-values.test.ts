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
  [
    '[{"bytesValue":""},{"doubleValue":"NaN"},2.0,-0.0,{"kvlistValue":[{"key":"2","value":1},{"key":"2","value":null}]},{"bytesValue":1}]',
    'a',
    {
      arrayValue: {
        values: [
          { bytesValue: '' },
          { doubleValue: 'NaN' },
          { doubleValue: 2 },
          { doubleValue: -0 },
          {
            kvlistValue: {
              values: [
                { key: '2', value: { intValue: '1' } },
                { key: '2', value: {} },
              ],
            },
          },
          { kvlistValue: { values: [{ key: 'bytesValue', value: { intValue: '1' } }] } },
        ],
      },
    },
  ],
  ['["cut', 'a', { stringValue: '["cut' }],
])('%s of type %s', (text, letter, value) => {
  expect(toAnyValue(text, letter)).toEqual(value);
});
