import { expect, test } from 'vitest';
import { type ChainRow, type HashEntry, walkChain } from './walk-chain.ts';

const hashEntry: HashEntry = (prevHash, seq, body) => Buffer.from(`${prevHash.toString('utf8').slice(-8)}|${seq}|${body}`);
const start = { seq: 0n, hash: Buffer.from('start') };

function chainOf(bodies: readonly string[]): ChainRow[] {
  let prevHash: Buffer = start.hash;
  return bodies.map((body, index) => {
    const seq = BigInt(index + 1);
    const row = { seq, id: `id-${seq}`, body, prevHash, hash: hashEntry(prevHash, seq, body) };
    prevHash = row.hash;
    return row;
  });
}

const sound = () => chainOf(['one', 'two', 'three']);

test('a sound chain ends at its last entry, also when it is walked in parts', () => {
  const rows = sound();
  const whole = walkChain(start, rows, hashEntry);
  expect(whole).toEqual({ seq: 3n, hash: rows[2]?.hash });
  const half = walkChain(start, rows.slice(0, 1), hashEntry);
  expect('hash' in half && walkChain(half, rows.slice(1), hashEntry)).toEqual(whole);
});

test('a changed entry is named', () => {
  const rows = sound().map((row) => (row.seq === 2n ? { ...row, body: 'TWO' } : row));
  expect(walkChain(start, rows, hashEntry)).toEqual({ seq: 2n, id: 'id-2', reason: 'Entry 2 was changed after it was written.' });
});

test('a removed entry is named', () => {
  const rows = sound().filter((row) => row.seq !== 2n);
  expect(walkChain(start, rows, hashEntry)).toMatchObject({ seq: 2n, id: null });
});

test('an entry whose own hash was made to fit its new text is found by the one after it', () => {
  const rows = sound().map((row) =>
    row.seq === 2n ? { ...row, body: 'TWO', hash: hashEntry(row.prevHash ?? start.hash, 2n, 'TWO') } : row,
  );
  expect(walkChain(start, rows, hashEntry)).toMatchObject({ seq: 3n, reason: 'Entry 3 does not follow the entry before it.' });
});
