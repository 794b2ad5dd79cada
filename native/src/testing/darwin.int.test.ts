import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDarwinContextReader } from '../context/darwin.ts';
import { DARWIN } from '../ffi/layout/darwin.ts';
import { libSystem } from '../ffi/libsystem.ts';
import { createFindRoute, createFindUnderlay, listRoutes } from '../gateway/darwin.ts';
import { createReadNetworkIdentity } from '../identity/darwin.ts';
import { createLocation } from '../location/core-location.ts';
import { createWatchNetwork } from '../network/darwin.ts';
import { createDarwinProbes } from '../path/darwin.ts';
import { createPingGateway, createTracePath } from '../path/measure-path.ts';
import { createReadResolvers } from '../resolvers/darwin.ts';
import { createReadWifi } from '../wifi/darwin.ts';
import { buildMac, type MacMachine, macMissing } from './mac-machine.ts';

const missing = macMissing();
if (missing) console.warn(`macOS' stand-ins do not run here: ${missing}`);

describe.skipIf(missing)("on macOS' libraries (stand-ins)", () => {
  let mac: MacMachine;
  beforeAll(() => {
    mac = buildMac();
  });
  afterEach(() => {
    mac.set({});
    expect(mac.count()).toEqual({ sockets: 0, pools: 0, powerInfos: 0 });
  });
  afterAll(() => mac.remove());

  describe('Wi-Fi', () => {
    const read = (wifi: string, collectSsid = true) => {
      mac.set({ wifi });
      return createReadWifi(mac.libraries)({ collectSsid });
    };

    it('is read through objc_msgSend', async () => {
      expect(await read('')).toEqual({
        connection: 'wifi',
        interfaceName: { value: 'en0' },
        rssiDbm: { value: -61 },
        signalPercent: { value: 78 },
        noiseDbm: { value: -94 },
        snrDb: { value: 33 },
        linkRateMbps: { value: 866.5 },
        channel: { value: 44 },
        frequencyMhz: { unavailable: 'not_supported' },
        band: { value: '5' },
        ssid: { value: 'Café' },
      });
      expect((await read('', false)).ssid).toEqual({ unavailable: 'withheld' });
    });

    it('lacks the SSID alone without the location permission', async () => {
      expect(await read('location-denied')).toMatchObject({ ssid: { unavailable: 'permission' }, rssiDbm: { value: -61 } });
    });

    it.each([
      ['power-off', 'unknown', 'not_connected'],
      ['unassociated', 'unknown', 'not_connected'],
      ['no-radio', 'wired', 'wired'],
    ])('says why there is nothing: %s', async (wifi, connection, code) => {
      const reading = await read(wifi);
      // The default route goes by en0 here: a radio of that name which carries nothing is not connected.
      expect(reading).toMatchObject({ connection, rssiDbm: { unavailable: code } });
    });

    it('is read below a tunnel', async () => {
      mac.set({ system: 'vpn' });
      expect(await createReadWifi(mac.libraries)({ collectSsid: false })).toMatchObject({
        connection: 'wifi',
        rssiDbm: { value: -61 },
      });
    });

    it('names a missing library as not supported', async () => {
      const reading = await createReadWifi({ ...mac.libraries, objc: '/no/such/lib.dylib' })({ collectSsid: true });
      expect(reading.rssiDbm).toEqual({ unavailable: 'not_supported' });
    });
  });

  describe('routes', () => {
    it('come from sysctl with masks, hosts and scopes, neighbours passed over', () => {
      const routes = listRoutes(libSystem(mac.libraries.system), 4);
      expect(
        routes.map(({ destination, prefixLength, nextHop, interfaceIndex, scoped }) => [
          destination,
          prefixLength,
          nextHop,
          interfaceIndex,
          scoped,
        ]),
      ).toEqual([
        ['0.0.0.0', 0, '10.0.0.1', 9, true],
        ['0.0.0.0', 0, '192.168.7.1', 4, false],
        ['192.168.7.0', 24, undefined, 4, false],
        ['192.168.7.1', 32, undefined, 4, false],
      ]);
      expect(JSON.stringify(routes)).not.toMatch(/ee.?ee/i);
    });

    it('lead to the gateway, over IPv6 to a link-local one without the scope that the kernel keeps in it', async () => {
      const findRoute = createFindRoute(mac.libraries);
      expect(await findRoute('198.51.100.1')).toMatchObject({
        value: { family: 4, gateway: { value: '192.168.7.1' }, interfaceName: 'en0', interfaceIndex: 4, tunnel: false },
      });
      expect(await findRoute('2001:db8:9::1')).toMatchObject({ value: { family: 6, gateway: { value: 'fe80::1' } } });
      expect(await findRoute('192.168.7.9')).toMatchObject({ value: { gateway: { unavailable: 'no_target' } } });
    });

    it('label a tunnel, and say where there is none', async () => {
      mac.set({ system: 'vpn' });
      expect(await createFindRoute(mac.libraries)('198.51.100.1')).toMatchObject({
        value: { interfaceName: 'utun3', tunnel: true, gateway: { unavailable: 'tunnel' } },
      });
      expect((await createDarwinContextReader(mac.libraries).read()).vpn).toEqual({ value: true });
      mac.set({ system: 'no-route' });
      expect(await createFindRoute(mac.libraries)('198.51.100.1')).toEqual({ unavailable: 'no_target' });
      expect((await createDarwinContextReader(mac.libraries).read()).vpn).toEqual({ unavailable: 'no_target' });
    });
  });

  describe('the network', () => {
    it('beneath a tunnel is the physical default route', async () => {
      mac.set({ system: 'vpn' });
      expect(await createFindUnderlay(mac.libraries)()).toEqual({
        value: {
          family: 4,
          gateway: '192.168.7.1',
          interfaceName: 'en0',
          interfaceIndex: 4,
          endpoint: { unavailable: 'not_supported' },
        },
      });
      expect(await createReadNetworkIdentity(mac.libraries)({ collectSsid: true })).toMatchObject({
        gateway: '192.168.7.1',
        tunnel: true,
      });
    });

    it('is left when its default route is taken away, and joined when the system is quiet', async () => {
      const seen: string[] = [];
      const watch = createWatchNetwork(mac.libraries)((change) => void seen.push(change));
      await sleep(50);
      const gone = Buffer.alloc(DARWIN.structs.rt_msghdr.sizeof + 20);
      gone.writeUInt16LE(gone.length, 0);
      gone.set([DARWIN.constants.RTM_VERSION, DARWIN.constants.RTM_DELETE, 4], 2);
      gone.writeUInt32LE(5, DARWIN.structs.rt_msghdr.rtm_addrs);
      gone.set([16, DARWIN.constants.AF_INET], DARWIN.structs.rt_msghdr.sizeof);
      mac.announce(gone);
      await expect.poll(() => seen).toEqual(['left']);
      await expect.poll(() => seen, { timeout: 3000 }).toEqual(['left', 'joined']);
      if ('value' in watch) watch.value();
    });
  });

  describe('the location permission', () => {
    it('is asked for at a call alone, and told apart from one that was refused', () => {
      const location = createLocation(mac.libraries);
      expect(location.permission()).toEqual({ value: 'not_asked' });
      location.ask();
      expect(location.permission()).toEqual({ value: 'granted' });
      mac.set({ wifi: 'location-denied' });
      expect(location.permission()).toEqual({ value: 'denied' });
      expect(createLocation({ ...mac.libraries, objc: '/no/such/lib.dylib' }).permission()).toEqual({
        unavailable: 'not_supported',
      });
    });
  });

  describe('resolvers', () => {
    it('come from SystemConfiguration, what is no address passed over', async () => {
      expect(await createReadResolvers(mac.libraries)()).toEqual({
        value: { servers: ['192.168.7.1', 'fe80::1%en0'], source: 'SystemConfiguration' },
      });
      expect(await createReadNetworkIdentity(mac.libraries)({ collectSsid: true })).toMatchObject({ domain: 'fritz.box' });
    });

    it('have those that a VPN adds for its own domains', async () => {
      mac.set({ dns: 'vpn' });
      expect(await createReadResolvers(mac.libraries)()).toEqual({
        value: {
          servers: ['192.168.7.1', 'fe80::1%en0', '10.8.0.53'],
          source: 'SystemConfiguration',
          split: [{ domains: ['corp.test', 'lab.test'], servers: ['10.8.0.53'] }],
        },
      });
    });

    it.each(['empty', 'no-store'])('come from the file where the store does not tell: %s', async (dns) => {
      mac.set({ dns });
      const reading = await createReadResolvers(mac.libraries)();
      if ('value' in reading) expect(reading.value.source).toBe('/etc/resolv.conf');
      else expect(reading.unavailable).toBe('no_target');
    });
  });

  describe('a path', () => {
    const trace = (destination: string, system = '') => {
      mac.set({ system });
      return createTracePath(createDarwinProbes(mac.libraries))({ destination, rounds: 3, roundMs: 20, timeoutMs: 200 });
    };

    it.each([
      ['203.0.113.10', ['192.168.7.1', '198.51.100.2', '203.0.113.10']],
      ['2001:db8:3::2', ['2001:db8:1::1', '2001:db8:2::1', '2001:db8:3::2']],
    ])('is traced to %s by ICMP datagrams', async (destination, addresses) => {
      const reading = await trace(destination);
      expect(reading).toMatchObject({ value: { method: 'icmp', reached: true } });
      const hops = 'value' in reading ? reading.value.hops : [];
      expect(hops.map((hop) => [...hop.addresses, hop.received, hop.kind])).toEqual([
        [addresses[0], 3, 'hop'],
        [addresses[1], 3, 'hop'],
        [addresses[2], 3, 'destination'],
      ]);
    });

    it('keeps a silent router and the word of one at which it ends', async () => {
      expect(await trace('203.0.113.10', 'silent')).toMatchObject({
        value: { reached: true, hops: [{ received: 3 }, { kind: 'silent', received: 0 }, { kind: 'destination' }] },
      });
      expect(await trace('203.0.113.10', 'unreachable')).toMatchObject({
        value: { reached: false, hops: [{ kind: 'hop' }, { kind: 'hop' }, { kind: 'unreachable', addresses: ['198.51.100.2'] }] },
      });
    });

    it('takes receive times from the kernel', async () => {
      const pending = trace('203.0.113.10');
      const blocked = setInterval(() => {
        const until = performance.now() + 15;
        while (performance.now() < until);
      }, 5);
      const reading = await pending;
      clearInterval(blocked);
      const rtts = 'value' in reading ? reading.value.hops.flatMap((hop) => hop.rttsMs) : [];
      expect(rtts).toHaveLength(9);
      // The middle one: another program may hold this one up between sending and stamping.
      expect(rtts.toSorted((a, b) => a - b)[4]).toBeLessThan(2);
    });

    it('has no way for UDP, and finds a gateway that answers no echo by requests that expire there', async () => {
      const probes = createDarwinProbes(mac.libraries);
      expect(await createTracePath(probes)({ destination: '203.0.113.10', method: 'udp' })).toEqual({
        unavailable: 'not_supported',
      });
      const ping = { gateway: '192.168.7.1', towards: '203.0.113.10', count: 3, intervalMs: 5, timeoutMs: 200 };
      expect(await createPingGateway(probes)(ping)).toMatchObject({ value: { method: 'icmp', sent: 3, received: 3 } });
      expect(await createPingGateway(probes)({ ...ping, method: 'udp' })).toMatchObject({
        value: { method: 'icmp', sent: 3, received: 3 },
      });
    });

    it('says permission where the local network is denied, and never that of a gateway that is gone', async () => {
      const ping = { gateway: '192.168.7.1', towards: '203.0.113.10', count: 3, intervalMs: 5, timeoutMs: 100 };
      mac.set({ system: 'local-network-denied' });
      expect(await createPingGateway(createDarwinProbes(mac.libraries))(ping)).toEqual({ unavailable: 'permission' });
      mac.set({ system: 'gateway-gone' });
      expect(await createPingGateway(createDarwinProbes(mac.libraries))(ping)).toMatchObject({
        value: { sent: 0, received: 0, error: expect.any(String) },
      });
    });

    it('says permission where the system refuses the socket', async () => {
      expect(await trace('203.0.113.10', 'refused')).toEqual({ unavailable: 'permission' });
    });
  });

  describe('power', () => {
    it.each([
      ['AC Power', { value: false }],
      ['Battery Power', { value: true }],
      ['UPS Power', { value: true }],
      ['', { unavailable: 'not_supported' }],
    ])('%j is read', async (power, reading) => {
      mac.set({ power });
      expect((await createDarwinContextReader(mac.libraries).read()).onBattery).toEqual(reading);
    });
  });
});
