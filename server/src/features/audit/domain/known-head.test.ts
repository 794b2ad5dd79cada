import { expect, test } from 'vitest';
import { findHeadFault, type KnownHead, type Standing } from './known-head.ts';

const hash = (text: string) => Buffer.from(text.padEnd(32));
const known: KnownHead = { seq: 120n, hash: hash('a'), atMs: Date.parse('2026-11-01T00:00:00Z') };
const faultOf = (part: Partial<Standing>) =>
  findHeadFault(known, { head: { seq: 130n, hash: hash('z') }, hashAtKnown: known.hash, removedSeq: 0n, ...part });

test('a chain that goes on from the remembered entry is the same, also one that has not moved', () => {
  expect(faultOf({})).toBeUndefined();
  expect(faultOf({ head: { seq: 120n, hash: known.hash } })).toBeUndefined();
});

test('a chain that ends before it was cut', () => {
  const cut = faultOf({ head: { seq: 113n, hash: hash('b') }, hashAtKnown: undefined });
  expect(cut).toMatch(
    'remembers entry 120 of 2026-11-01T00:00:00.000Z, and the trail ends at 113. Its newest 7 entries were cut off',
  );
  expect(faultOf({ head: { seq: 119n, hash: hash('b') } })).toMatch('Its newest entry was cut off');
  // Retention never goes past the end.
  expect(faultOf({ head: { seq: 113n, hash: hash('b') }, removedSeq: 200n })).toMatch('cut off');
});

test('a chain that was cut and has grown since, or was rewritten, has another entry there', () => {
  expect(faultOf({ hashAtKnown: hash('b') })).toMatch('Entry 120 is not the one that this server remembers');
  expect(faultOf({ hashAtKnown: undefined })).toMatch('Entry 120 is not the one');
});

test('a remembered entry that retention removed is accounted for by its checkpoint', () => {
  expect(faultOf({ hashAtKnown: undefined, removedSeq: 125n })).toBeUndefined();
});
