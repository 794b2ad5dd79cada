import { fileURLToPath } from 'node:url';
import type { TraceReading } from '@svc/native/path/path';
import type { Reading } from '@svc/native/reading';
import { startWindows, type WindowsMachine, windowsMissing } from '@svc/native/testing/windows-machine';
import { createNetlab, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from './testing/lab.ts';

const reason = netlabUnavailable() ?? (await windowsMissing());
if (reason) console.warn(`SKIPPED: Windows (wine) in the network lab: ${reason}`);

const MAIN = fileURLToPath(import.meta.resolve('@svc/native/testing/windows-child'));
const DELAYS_MS = [2, 10, 5, 3];
/** Under wine an answer passes two more processes. */
const TOLERANCE_MS = 25;

describe.skipIf(reason)('Windows (wine) in the lab', () => {
  let lab: Netlab;
  let windows: WindowsMachine;
  const ask = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await lab.exec('client', windows.command(MAIN, args), { uid: 0, timeoutMs: 90_000 });
    expect(`${code} ${stderr}`).toMatch(/^0 /);
    return JSON.parse(stdout);
  };
  beforeAll(async () => {
    lab = await createNetlab({ icmpRateLimit: false, links: DELAYS_MS.map((delayMs) => ({ delayMs })) });
    windows = await startWindows();
  });
  afterAll(async () => {
    await windows?.stop();
    await lab?.close();
  });

  it('traces over several routers to the server', async () => {
    const reading = await ask<Reading<TraceReading>>('trace', lab.server.v4);
    const { hops, reached } = present(reading);
    expect(reached).toBe(true);
    expect(hops.map((hop) => hop.addresses)).toEqual(lab.hops.v4.map((address) => [address]));
    expect(hops.map((hop) => hop.kind)).toEqual(['hop', 'hop', 'hop', 'destination']);
    for (const [at, hop] of hops.entries()) {
      const expectedMs = 2 * DELAYS_MS.slice(0, at + 1).reduce((sum, delayMs) => sum + delayMs, 0);
      const rttMs = Math.min(...hop.rttsMs);
      expect(rttMs, `hop ${hop.ttl}`).toBeGreaterThanOrEqual(expectedMs - 1);
      expect(rttMs, `hop ${hop.ttl}`).toBeLessThan(expectedMs + TOLERANCE_MS);
    }
  });

  it('finds the gateway and counts its answers', async () => {
    const route = await ask<object>('route', lab.server.v4);
    expect(route).toMatchObject({ value: { gateway: { value: lab.hops.v4[0] }, source: { value: '192.168.77.2' } } });
    const ping = await ask<object>('ping', lab.hops.v4[0] ?? '', lab.server.v4);
    expect(ping).toMatchObject({ value: { sent: 5, received: 5 } });
  });

  it('counts the loss of a link', async () => {
    await lab.setLink(0, { lossRatio: 1 });
    expect(await ask('ping', lab.hops.v4[0] ?? '', lab.server.v4)).toMatchObject({ value: { sent: 5, received: 0 } });
  });
});
