import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { joinCrc32 } from './crc.ts';

test('gives what zlib gives for all of the bytes, whatever the two lengths', () => {
  const all = randomBytes(3_000_000);
  for (const [first, others] of [
    ...[0, 1, 2, 3, 7, 8, 255, 256, 257, 65_535, 65_536, 1_000_003].map((bytes) => [61, bytes]),
    ...[0, 1, 24, 4096, 1_999_999].map((bytes) => [bytes, 1_000_001]),
  ] as [number, number][]) {
    const [head, value] = [all.subarray(0, first), all.subarray(first, first + others)];
    expect(joinCrc32(crc32(head), { crc: crc32(value), bytes: others })).toBe(crc32(all.subarray(0, first + others)));
  }
});
