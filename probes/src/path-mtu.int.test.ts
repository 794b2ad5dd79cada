import { createNetlab, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PathMtuMeasurement } from './path-mtu.ts';
import { measureInLab, present } from './testing/lab.ts';

const reason = netlabUnavailable();
if (reason) console.warn(`SKIPPED: the path's MTU in the network lab: ${reason}`);

describe.skipIf(reason)('the MTU of a path in the lab', () => {
  let lab: Netlab;
  const measure = async (request: object): Promise<PathMtuMeasurement> =>
    present(
      (await measureInLab<{ value: PathMtuMeasurement }>(lab, 'path-mtu', { address: lab.server.v4, ...request })).results[0],
    );
  const setMtu = (bytes: number) => lab.exec('r2', ['ip', 'link', 'set', 'dev', 'outer', 'mtu', String(bytes)], { uid: 0 });

  beforeAll(async () => {
    lab = await createNetlab({ icmpSockets: true });
  });
  afterAll(() => lab?.close());

  it.each(['v4', 'v6'] as const)('is 1500 where all fits, over %s', async (family) => {
    expect(await measure({ address: lab.server[family] })).toMatchObject({ mtuBytes: 1500, isBlackHole: false });
  });

  it('is told by a router, or a black hole where its word is lost', { timeout: 30_000 }, async () => {
    await setMtu(1410);
    expect(await measure({})).toMatchObject({ mtuBytes: 1400, lostBytes: 1460, isBlackHole: false });
    await lab.setLink(0, { dropIcmp: 'errors' });
    expect(await measure({ fine: true })).toMatchObject({ mtuBytes: 1400, lostBytes: 1412, isBlackHole: true });
    await lab.setLink(0, { dropIcmp: 'none' });
    await setMtu(1500);
    expect(await measure({})).toMatchObject({ mtuBytes: 1500, isBlackHole: false });
  });
});
