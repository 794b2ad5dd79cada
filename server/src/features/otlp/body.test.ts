import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflate } from './body.ts';
import { createBudget } from './budget.ts';

const MIB = 1024 * 1024;
const MAX_BYTES = 4 * MIB;

/** What is accounted for at most while the gzip is inflated, and what comes of it. */
async function inflateWatched(packed: Buffer) {
  const budget = createBudget(MAX_BYTES);
  const held = budget.hold('acme');
  let body: Buffer | string;
  try {
    body = await inflate(packed, MAX_BYTES, held);
  } catch (error) {
    body = (error as Error).message;
  }
  return { body, used: budget.usedBytes() };
}

describe('a gzip', () => {
  it('takes as much room as it announces', async () => {
    const text = Buffer.alloc(MIB, 'x');
    expect(await inflateWatched(gzipSync(text))).toEqual({ body: text, used: MIB });
  });

  it('of several members announces the last one only, and takes the room of the largest', async () => {
    const members = [Buffer.alloc(MIB, 'x'), Buffer.from('y')];
    const packed = Buffer.concat(members.map((member) => gzipSync(member)));
    expect(await inflateWatched(packed)).toEqual({ body: Buffer.concat(members), used: MAX_BYTES });
  });

  it('that lies about its length has its room accounted for before it is filled', async () => {
    const packed = gzipSync(Buffer.alloc(4 * MIB, 'x'));
    packed.writeUInt32LE(1, packed.length - 4);
    expect(await inflateWatched(packed)).toEqual({ body: 'The request is not valid gzip.', used: MAX_BYTES });
  });

  it('of more than the bound is refused, whatever it announces', async () => {
    const packed = gzipSync(Buffer.alloc(64 * MIB, 'x'));
    expect((await inflateWatched(packed)).body).toContain('at most 4194304 bytes');
    packed.writeUInt32LE(1, packed.length - 4);
    expect((await inflateWatched(packed)).body).toContain('at most 4194304 bytes');
  });
});
