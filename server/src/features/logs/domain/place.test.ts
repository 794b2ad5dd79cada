import { expect, test } from 'vitest';
import { decodePlace, encodePlace } from './place.ts';

test('gives back what it wrote, to the last digit', () => {
  const place = { ts: 1_795_255_200_123_456_789n, partition: 65_535, offset: 2n ** 64n - 1n, row: 2 ** 32 - 1 };
  expect(decodePlace(encodePlace(place), 'cursor')).toEqual(place);
});

test.each(['', 'x', 'MS4y', Buffer.from('1.2.3.4;').toString('base64url'), Buffer.from('1.99999.3.4').toString('base64url')])(
  'refuses %s',
  (text) => {
    expect(() => decodePlace(text, 'cursor')).toThrow('Invalid cursor.');
  },
);
