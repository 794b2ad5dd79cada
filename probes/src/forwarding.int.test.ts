import { createNetlab, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForwardingMeasurement } from './forwarding.ts';
import { measureInLab } from './testing/lab.ts';

const reason = netlabUnavailable();
if (reason) console.warn(`SKIPPED: forwarding in the network lab: ${reason}`);

let lab: Netlab;
const ask = async (servers: readonly string[], count = 10): Promise<ForwardingMeasurement | null | undefined> => {
  const request = { gateway: lab.hops.v4[0], servers, name: 'localhost', count };
  return (await measureInLab<ForwardingMeasurement | null>(lab, 'forwarding', request)).results[0];
};

describe.skipIf(reason)('the way over the gateway in the lab', () => {
  beforeAll(async () => {
    lab = await createNetlab();
  });
  afterAll(() => lab?.close());

  it('loses nothing while the gateway is silent for itself', async () => {
    await lab.setLink(0, { dropIcmp: 'all' });
    expect(await ask([lab.server.v4])).toEqual({ sent: 10, lost: 0 });
    await lab.setLink(0, { dropIcmp: 'none' });
  });

  it('loses what its link loses', async () => {
    await lab.setLink(0, { lossRatio: 0.5 });
    const way = await ask([lab.server.v4], 25);
    await lab.setLink(0, { lossRatio: 0 });
    // Of 25 at one half, fewer than 4 or more than 21 come once in ten thousand times.
    expect(way?.sent).toBe(25);
    expect(way?.lost).toBeGreaterThanOrEqual(4);
    expect(way?.lost).toBeLessThanOrEqual(21);
  });

  it('asks the next server where one is gone, and nobody who is not behind that gateway', async () => {
    expect(await ask(['203.0.113.77', lab.server.v4], 2)).toEqual({ sent: 2, lost: 0 });
    expect(await ask(['203.0.113.77'], 2)).toEqual({ sent: 2, lost: 2 });
    expect(await ask(['127.0.0.53', '192.168.77.2'])).toBeNull();
  });
});
