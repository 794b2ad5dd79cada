import { expect, it } from 'vitest';
import { copyBytes } from './copy-bytes.ts';

it('copies all bytes to their place and nothing beside it, into shared memory too', () => {
  for (const memory of [new ArrayBuffer(100), new SharedArrayBuffer(100)]) {
    const target = Buffer.from(memory as ArrayBuffer).fill(1);
    const source = Uint8Array.from({ length: 40 }, (_, i) => 100 + i);
    expect(copyBytes(source, target, 7)).toBe(47);
    expect([...target]).toEqual([...Array(7).fill(1), ...source, ...Array(53).fill(1)]);
    expect(copyBytes(source.subarray(3, 3), target, 50)).toBe(50);
    expect(target[50]).toBe(1);
    expect(() => copyBytes(source, target, 61)).toThrow(RangeError);
  }
});
