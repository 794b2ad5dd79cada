import { connect } from 'node:http2';
import { LINK_TEST_BOUNDS, LINK_TEST_SERVICE } from '@svc/contracts/agent/link-test';
import { PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { deviceCredentials, openEcho, openLoad } from '../fleet/test-devices.ts';
import { startFleetStack } from '../fleet/test-stack.ts';
import { createLinkTest } from './index.ts';

let stack: Awaited<ReturnType<typeof startFleetStack>>;
let acme: TenantId;
beforeAll(async () => {
  stack = await startFleetStack({
    extend: ({ clock }) => ({ mounts: createLinkTest({ clock, log: pino({ level: 'silent' }) }).grpc, deps: {} }),
  });
  acme = await stack.addTenant('acme');
});
afterAll(async () => {
  await stack.close();
});

const RESOURCE_EXHAUSTED = 8;
const nothing = Buffer.alloc(0);
const device = async () => {
  const { identity, keyPem } = await stack.enrolDevice(acme);
  return { address: stack.address, credentials: deviceCredentials(identity, keyPem) };
};
const payloadOf = (chunks: readonly { payload: Uint8Array }[]) => chunks.reduce((sum, { payload }) => sum + payload.length, 0);

describe('a test of a line', () => {
  it('sends what is wanted, and says what it has taken', async () => {
    const load = openLoad(await device());
    load.stream.write({ wanted_bytes: 1_000_000, taken_bytes: 0, payload: nothing });
    const chunks = await load.next(31);
    expect(payloadOf(chunks)).toBe(1_000_000);
    load.stream.write({ wanted_bytes: 0, taken_bytes: 0, payload: Buffer.alloc(30_000) });
    load.stream.write({ wanted_bytes: 0, taken_bytes: 0, payload: Buffer.alloc(20_000) });
    expect((await load.next(33)).at(-1)).toMatchObject({ taken_bytes: 50_000 });
    await load.stop();
    expect(await load.ended).toMatchObject({ code: 0 });
  });

  it('lets more be under way than 64 KiB, or a line of some speed would never be full', async () => {
    const { identity, keyPem } = await stack.enrolDevice(acme);
    const client = connect(`https://${stack.address}`, { ca: identity.grpc_ca, key: keyPem, cert: identity.chain });
    const widened = new Promise<number>((resolve) =>
      client.on('remoteSettings', ({ initialWindowSize = 0 }) => initialWindowSize > 65_535 && resolve(initialWindowSize)),
    );
    const headers = {
      ':method': 'POST',
      ':path': LINK_TEST_SERVICE.load.path,
      'content-type': 'application/grpc',
      te: 'trailers',
    };
    const stream = client.request({ ...headers, [PROTOCOL_METADATA]: '1' }, { endStream: false });
    stream.on('error', () => undefined);
    expect(await widened).toBe(LINK_TEST_BOUNDS.windowBytes);
    // And no longer than the load lasts.
    const narrowed = new Promise<number>((resolve) =>
      client.on('remoteSettings', ({ initialWindowSize = 0 }) => initialWindowSize <= 65_535 && resolve(initialWindowSize)),
    );
    stream.close();
    expect(await narrowed).toBe(65_535);
    client.destroy();
  });

  it('gives each echo back as it came', async () => {
    const echo = openEcho(await device());
    for (const sequence of [1, 2, 7]) echo.stream.write({ sequence });
    expect((await echo.next(3)).map(({ sequence }) => sequence)).toEqual([1, 2, 7]);
    await echo.stop();
  });

  it('ends beyond its bounds: too much wanted or sent, wanted twice, or too many echoes', async () => {
    const { loadBytes, echoes, chunkBytes } = LINK_TEST_BOUNDS;
    const over = async (...messages: readonly { wanted_bytes: number; payload: Buffer }[]) => {
      const load = openLoad(await device());
      for (const message of messages) load.stream.write({ taken_bytes: 0, ...message });
      const { code, appCode } = await load.ended;
      load.close();
      return { code, appCode };
    };
    const refused = { code: RESOURCE_EXHAUSTED, appCode: 'too_large' };
    expect(await over({ wanted_bytes: loadBytes + 1, payload: nothing })).toMatchObject(refused);
    expect(await over({ wanted_bytes: 1, payload: nothing }, { wanted_bytes: 1, payload: nothing })).toMatchObject(refused);
    expect(await over({ wanted_bytes: 0, payload: Buffer.alloc(chunkBytes + 1) })).toMatchObject(refused);
    const echo = openEcho(await device());
    for (let sequence = 0; sequence <= echoes; sequence += 1) echo.stream.write({ sequence });
    expect(await echo.ended).toMatchObject(refused);
    expect(echo.messages.length).toBeLessThanOrEqual(echoes);
    echo.close();
  });

  it('is refused to a device that had its tests in this hour', async () => {
    const own = await device();
    for (let turn = 0; turn < LINK_TEST_BOUNDS.perHour; turn += 1) {
      const echo = openEcho(own);
      echo.stream.write({ sequence: turn });
      await echo.next(1);
      await echo.stop();
    }
    const refused = openEcho(own);
    expect(await refused.ended).toMatchObject({ code: RESOURCE_EXHAUSTED, appCode: 'rate_limited' });
    refused.close();
    const load = openLoad(own);
    load.stream.write({ wanted_bytes: 10, taken_bytes: 0, payload: nothing });
    expect(payloadOf(await load.next(1))).toBe(10);
    await load.stop();
  });

  it('is refused to a tenant whose devices carried its bytes of this hour, and not to another', async () => {
    const bounded = await startFleetStack({
      extend: ({ clock }) => {
        const slice = createLinkTest({ clock, log: pino({ level: 'silent' }), bounds: { bytesOfTenant: 150_000 } });
        return { mounts: slice.grpc, deps: {} };
      },
    });
    try {
      const [one, other] = [await bounded.addTenant('one'), await bounded.addTenant('other')];
      const loadOf = async (tenant: TenantId) => {
        const { identity, keyPem } = await bounded.enrolDevice(tenant);
        const load = openLoad({ address: bounded.address, credentials: deviceCredentials(identity, keyPem) });
        load.stream.write({ wanted_bytes: 100_000, taken_bytes: 0, payload: nothing });
        return load;
      };
      for (let turn = 0; turn < 2; turn += 1) {
        const load = await loadOf(one);
        expect(payloadOf(await load.next(4))).toBe(100_000);
        await load.stop();
      }
      const refused = await loadOf(one);
      expect(await refused.ended).toMatchObject({ code: RESOURCE_EXHAUSTED, appCode: 'rate_limited' });
      refused.close();
      const load = await loadOf(other);
      expect(payloadOf(await load.next(4))).toBe(100_000);
      await load.stop();
    } finally {
      await bounded.close();
    }
  });
});
