import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WIN32 } from '../ffi/layout/win32.ts';
import { findRoute } from '../gateway/linux.ts';
import { readingValue } from '../reading.ts';
import type { WifiReading } from '../wifi/wifi.ts';
import { layoutLines } from './layout-lines.ts';
import { startWindows, type WindowsMachine, windowsMissing, windowsPath } from './windows-machine.ts';

const missing = await windowsMissing();
if (missing) console.warn(`Windows does not run here: ${missing}`);

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const MAIN = pathOf('windows-child.ts');

describe.skipIf(missing)('on Windows (wine)', () => {
  let windows: WindowsMachine;
  let fakeWlan: string;
  const ask = async (args: readonly string[], set?: Record<string, string>): Promise<unknown> => {
    const { code, output, words } = await windows.run(MAIN, args, set);
    expect(`${code} ${words}`).toMatch(/^0 /);
    return JSON.parse(output);
  };
  beforeAll(async () => {
    windows = await startWindows();
    fakeWlan = windowsPath(await windows.compile(pathOf('fake-wlan.c'), 'fake-wlan.dll'));
  });
  afterAll(async () => await windows.stop());

  it('has the layouts that our table says', async () => {
    const printed = await windows.run(await windows.compile(pathOf('../../offsets/win32.c'), 'win32.exe'), []);
    expect(printed.output.trim().split('\n').sort()).toEqual(layoutLines(WIN32));
  });

  it('lists adapters, routes and resolvers as the system below has them', async () => {
    const below = readingValue(await findRoute('198.51.100.1'));
    const gateway = below && readingValue(below.gateway);
    const machine = (await ask(['machine'])) as {
      adapters: { name: string; up: boolean }[];
      routes: Record<'4' | '6', { nextHop?: string; prefixLength: number }[]>;
      resolvers: object;
      context: object;
    };
    expect(machine.adapters.map((adapter) => adapter.name)).toContain('lo');
    expect(machine.routes['4'].find((row) => row.prefixLength === 0)?.nextHop).toBe(gateway);
    expect(machine.resolvers).toMatchObject({ value: { source: 'GetAdaptersAddresses' } });
    expect(machine.context).toMatchObject({
      onBattery: { value: expect.any(Boolean) },
      metered: expect.toBeOneOf([{ value: false }, { unavailable: 'not_supported' }]),
    });
    const route = await ask(['route', '198.51.100.1']);
    if (gateway) expect(route).toMatchObject({ value: { family: 4, gateway: { value: gateway }, tunnel: false } });
    else expect(route).toEqual({ unavailable: 'no_target' });
  });

  it('traces over IPv4 in rounds', async () => {
    expect(await ask(['trace', '127.0.0.1'])).toMatchObject({
      value: {
        method: 'icmp',
        reached: true,
        hops: [{ ttl: 1, addresses: ['127.0.0.1'], sent: 3, received: 3, kind: 'destination' }],
      },
    });
  });

  it('runs eight traces at once', async () => expect(await ask(['many'])).toBe(8));

  it('counts the answers of a next hop', async () => {
    expect(await ask(['ping', '127.0.0.1', '127.0.0.1'])).toMatchObject({ value: { method: 'icmp', sent: 5, received: 5 } });
  });

  it('rejects with the reason when aborted', async () => expect(await ask(['abort', '127.0.0.1'])).toBe('reason'));

  it('says not supported over IPv6, which this wine does not have', async () => {
    expect(await ask(['trace', '::1'])).toEqual({ unavailable: 'not_supported' });
  });

  it("does without a radio through wine's own wlanapi", async () => {
    const reading = (await ask(['systemWifi'])) as WifiReading;
    expect('unavailable' in reading.rssiDbm && reading.rssiDbm.unavailable).toMatch(/^(wired|not_supported)$/);
  });

  describe('with the radio of our own wlanapi', () => {
    const wifi = async (behaviour: string) =>
      (await ask(['fakeWifi', fakeWlan], { SVC_TEST_WLAN: behaviour })) as {
        collected: WifiReading;
        withheld: WifiReading;
        belowTunnel: WifiReading;
        onThisMachine: WifiReading;
        blocks: number;
      };

    it('reads a connected radio, gives all memory back and shows no hardware address', async () => {
      const readings = await wifi('connected');
      expect(readings.collected).toEqual({
        connection: 'wifi',
        interfaceName: { value: 'Wi-Fi' },
        rssiDbm: { value: -59 },
        signalPercent: { value: 84 },
        noiseDbm: { unavailable: 'not_supported' },
        snrDb: { unavailable: 'not_supported' },
        linkRateMbps: { value: 720.5 },
        channel: { value: 44 },
        frequencyMhz: { value: 5220 },
        band: { value: '5' },
        ssid: { value: 'Café' },
        counters: {
          link: expect.stringMatching(/ 44$/),
          frames: { sent: 3000, failed: 6, retried: 300, tries: 3000 },
        },
      });
      expect(readings.withheld).toEqual({ ...readings.collected, ssid: { unavailable: 'withheld' } });
      expect(readings.belowTunnel).toMatchObject({ connection: 'wifi', rssiDbm: { value: -59 } });
      expect(readings.onThisMachine.connection).toBe('wired');
      expect(readings.blocks).toBe(0);
      expect(JSON.stringify(readings)).not.toMatch(/ee.?ee/i);
    });

    it('needs the location permission for the SSID alone on Windows 11 24H2', async () => {
      const { collected } = await wifi('denied');
      expect(collected).toMatchObject({
        ssid: { unavailable: 'permission' },
        rssiDbm: { value: -59 },
        signalPercent: { value: 84 },
      });
    });

    it('takes percent and rate from the connection before 24H2', async () => {
      const { collected, withheld } = await wifi('old');
      expect(collected).toMatchObject({
        signalPercent: { value: 82 },
        linkRateMbps: { value: 780 },
        frequencyMhz: { unavailable: 'not_supported' },
      });
      expect(withheld).toMatchObject({ signalPercent: { value: 82 }, ssid: { unavailable: 'withheld' } });
      const refused = await wifi('denied-old');
      expect(refused.collected).toMatchObject({ signalPercent: { unavailable: 'permission' }, rssiDbm: { value: -59 } });
    });

    it('is not connected while disconnected', async () => {
      expect((await wifi('disconnected')).collected).toMatchObject({
        connection: 'unknown',
        rssiDbm: { unavailable: 'not_connected' },
      });
    });

    it('says what is missing where the service does not run or the library is not there', async () => {
      for (const library of [fakeWlan, 'no-such-library.dll']) {
        const reading = (await ask(['fakeWifiRefusal', library], { SVC_TEST_WLAN: 'no-service' })) as WifiReading;
        expect(reading).toMatchObject({ connection: 'wired', rssiDbm: { unavailable: 'wired' } });
      }
    });
  });
});
