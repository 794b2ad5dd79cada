import { expect, test } from 'vitest';
import { decodePlace, encodePlace } from './cursor.ts';

const place = { key: '1764000000123456789', traceId: 'ab'.repeat(16), spanId: '0'.repeat(16) };

test('a place comes back as it was', () => {
  expect(decodePlace('time', encodePlace('time', place))).toEqual(place);
});

test.each([
  ['of another order', encodePlace('duration', place)],
  ['no text of ours', Buffer.from('{}').toString('base64url')],
  ['a key beyond what a time can be', encodePlace('time', { ...place, key: '9999999999999999999' })],
  ['with SQL', encodePlace('time', { ...place, traceId: `${'ab'.repeat(15)}' OR` })],
  ['empty', ''],
])('refuses a cursor that is %s', (_what, cursor) => {
  expect(() => decodePlace('time', cursor)).toThrow(/Invalid cursor/);
});
