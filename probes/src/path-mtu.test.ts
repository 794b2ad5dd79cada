import type { SizeProbeRequest } from '@svc/native/path/path';
import { describe, expect, it } from 'vitest';
import { createMeasurePathMtu } from './path-mtu.ts';

/** A path that carries packets up to `mtu` and says so, or not, of larger ones; `loses` takes some of the others, by turn. */
function pathOf({
  mtu,
  tells = false,
  loses = () => false,
}: {
  mtu: number;
  tells?: boolean;
  loses?: (turn: number) => boolean;
}) {
  const asked: number[][] = [];
  let turn = 0;
  const measure = createMeasurePathMtu(async ({ sizes }: SizeProbeRequest) => {
    asked.push([...sizes]);
    const reading = sizes.map((packetBytes) => {
      turn += 1;
      const fits = packetBytes <= mtu;
      return { packetBytes, arrived: fits && !loses(turn), told: !fits && tells };
    });
    return { value: reading };
  }, 1);
  return { asked, measure: (fine = false) => measure({ address: '203.0.113.9', fine }) };
}

describe('the path’s MTU', () => {
  it('is 1500 where everything arrives, and asked once', async () => {
    const { asked, measure } = pathOf({ mtu: 1500 });
    expect(await measure()).toEqual({
      value: { address: '203.0.113.9', mtuBytes: 1500, lostBytes: null, isBlackHole: false },
    });
    expect(asked).toEqual([[600, 1280, 1400, 1460, 1500]]);
  });

  it('is a black hole where larger ones are lost three times without a word', async () => {
    const { asked, measure } = pathOf({ mtu: 1420 });
    expect(await measure()).toMatchObject({ value: { mtuBytes: 1400, lostBytes: 1460, isBlackHole: true } });
    expect(asked).toHaveLength(3);
    expect(await pathOf({ mtu: 1420 }).measure(true)).toMatchObject({
      value: { mtuBytes: 1412, lostBytes: 1424, isBlackHole: true },
    });
  });

  it('is no black hole where a router says that they do not fit: then senders adapt', async () => {
    const { asked, measure } = pathOf({ mtu: 1420, tells: true });
    expect(await measure()).toMatchObject({ value: { mtuBytes: 1400, isBlackHole: false } });
    expect(asked).toHaveLength(1);
  });

  it('is none by the loss of single packets', async () => {
    const lossy = pathOf({ mtu: 1500, loses: (turn) => turn === 5 || turn === 6 });
    expect(await lossy.measure()).toMatchObject({ value: { mtuBytes: 1500, isBlackHole: false } });
    const small = pathOf({ mtu: 1500, loses: (turn) => turn % 5 === 1 && turn < 10 });
    expect(await small.measure()).toMatchObject({ value: { mtuBytes: 1500, isBlackHole: false } });
  });

  it('is unknown where nothing comes back', async () => {
    expect(await pathOf({ mtu: 0 }).measure(true)).toMatchObject({
      value: { mtuBytes: null, lostBytes: null, isBlackHole: false },
    });
  });

  it('has the reason where this system sends no such packets', async () => {
    const measure = createMeasurePathMtu(async () => ({ unavailable: 'permission' }));
    expect(await measure({ address: '203.0.113.9' })).toEqual({ unavailable: 'permission' });
  });
});
