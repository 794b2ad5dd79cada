import { ByteSink } from '@svc/bytes';
import { expect, test } from 'vitest';
import { GatheringSink } from './gathering-sink.ts';

const LARGE = [4095, 4096, 4097, 100_000].map((size) => Uint32Array.from({ length: size }, (_, i) => i * size));

function write(sink: ByteSink): void {
  sink.string('first');
  for (const array of LARGE) {
    sink.raw(array);
    sink.raw(array.subarray(1, 1000));
    sink.varint(array.length);
    sink.raw(array.subarray(7, 5000));
  }
  sink.string('last');
}

test('gathers what a plain sink would hold, each time it is used', () => {
  const plain = new ByteSink();
  write(plain);
  const sink = new GatheringSink();
  for (let turn = 0; turn < 2; turn++) {
    sink.reset();
    write(sink);
    expect(sink.totalBytes).toBe(plain.length);
    const into = Buffer.alloc(sink.totalBytes + 10, 0xee);
    sink.gather(into);
    expect(into.subarray(0, plain.length).equals(plain.view())).toBe(true);
    expect(into.subarray(plain.length)).toEqual(Buffer.alloc(10, 0xee));
  }
});

test('holds nothing of what is large', () => {
  const sink = new GatheringSink(64);
  sink.raw(new Uint8Array(50_000_000));
  expect(sink.bytes.length).toBe(64);
  sink.reset();
  expect(sink.totalBytes).toBe(0);
});
