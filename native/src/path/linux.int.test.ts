import { describe, expect, it } from 'vitest';
import { findRoute } from '../gateway/linux.ts';
import * as darwin from './darwin.ts';
import { pingGateway, tracePath } from './linux.ts';
import { tryIcmp } from './probe-socket-linux.ts';
import * as win32 from './win32.ts';

const onLinux = process.platform === 'linux';
const quick = { rounds: 2, roundMs: 50, timeoutMs: 500, method: 'udp' } as const;

describe.runIf(onLinux)('probing on this machine', () => {
  it.each([
    ['127.0.0.1', 4],
    ['::1', 6],
  ] as const)('reaches %s at the first distance', async (destination, family) => {
    const reading = await tracePath({ destination, ...quick });
    expect(reading).toMatchObject({
      value: { family, method: 'udp', reached: true, hops: [{ ttl: 1, addresses: [destination], kind: 'destination' }] },
    });
    const [rttMs] = 'value' in reading ? (reading.value.hops[0]?.rttsMs ?? []) : [];
    expect(rttMs).toBeGreaterThan(0);
    expect(rttMs).toBeLessThan(100);
  });

  it('counts the answers of a next hop by UDP', async () => {
    const reading = await pingGateway({ gateway: '127.0.0.1', towards: '127.0.0.1', count: 3, intervalMs: 20, method: 'udp' });
    // The loopback's own address answers as the destination would: "port unreachable" there ends the path.
    expect(reading).toMatchObject({ value: { method: 'udp', sent: 3, received: 3 } });
  });

  it('says permission where ICMP datagram sockets are closed, and pings where they are open', async () => {
    const reading = await pingGateway({ gateway: '127.0.0.1', towards: '127.0.0.1', count: 2, intervalMs: 10, method: 'icmp' });
    if (tryIcmp(4).allowed) expect(reading).toMatchObject({ value: { sent: 2, received: 2 } });
    else expect(reading).toEqual({ unavailable: 'permission' });
  });

  it('measures right though the loop is blocked while the answer arrives', async () => {
    const pending = tracePath({ destination: '127.0.0.1', rounds: 1, timeoutMs: 1000, method: 'udp' });
    await Promise.resolve();
    const until = performance.now() + 150;
    while (performance.now() < until);
    const reading = await pending;
    const [rttMs] = 'value' in reading ? (reading.value.hops[0]?.rttsMs ?? []) : [];
    expect(rttMs).toBeLessThan(50);
  });

  it('rejects with the reason when aborted, before and while it runs', async () => {
    const reason = new Error('asked to stop');
    await expect(tracePath({ destination: '127.0.0.1', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const running = tracePath({ destination: '127.0.0.1', ...quick, rounds: 50, roundMs: 1000, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 30);
    const startedMs = performance.now();
    await expect(running).rejects.toBe(reason);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });

  it.each([
    [{ destination: 'gateway.test' }, 'not a numeric IP address'],
    [{ destination: '127.0.0.1', maxHops: 65 }, 'maxHops'],
    [{ destination: '127.0.0.1', rounds: 0 }, 'rounds'],
    [{ destination: '127.0.0.1', timeoutMs: 1.5 }, 'timeoutMs'],
  ])('refuses %o', async (request, message) => {
    await expect(tracePath(request)).rejects.toThrow(message);
  });

  it('refuses a next hop and a direction of different families', async () => {
    await expect(pingGateway({ gateway: '127.0.0.1', towards: '::1', count: 1, method: 'udp' })).rejects.toThrow('family');
  });

  it('leaves no descriptor behind over many runs', async () => {
    const { readdirSync } = await import('node:fs');
    const open = (): number => readdirSync('/proc/self/fd').length;
    await tracePath({ destination: '127.0.0.1', ...quick, rounds: 1 });
    const before = open();
    for (let i = 0; i < 50; i += 1) await tracePath({ destination: '127.0.0.1', ...quick, rounds: 1, timeoutMs: 20 });
    expect(open()).toBeLessThanOrEqual(before + 2);
  });
});

describe.runIf(onLinux)('routes of this machine', () => {
  it('are found by name and source for the loopback', async () => {
    expect(await findRoute('127.0.0.1')).toMatchObject({
      value: { interfaceName: 'lo', tunnel: false, source: { value: '127.0.0.1' }, gateway: { unavailable: 'no_target' } },
    });
  });

  it('are asked for numeric addresses only', async () => {
    await expect(findRoute('example.test')).rejects.toThrow(RangeError);
  });
});

describe.runIf(onLinux)("other systems' adapters on this one", () => {
  it.each([
    ['darwin', darwin],
    ['win32', win32],
  ] as const)('of %s say that they cannot', async (_name, adapter) => {
    expect(await adapter.tracePath({ destination: '127.0.0.1' })).toEqual({ unavailable: 'not_supported' });
    expect(await adapter.pingGateway({ gateway: '127.0.0.1', towards: '127.0.0.1', count: 1 })).toEqual({
      unavailable: 'not_supported',
    });
  });
});
