import { createContextReader } from '../context/win32.ts';
import { type Adapter, listAdapters } from '../ffi/adapter-addresses.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { openLibrary } from '../ffi/library.ts';
import { guidText, withWlan } from '../ffi/wlanapi.ts';
import { findRoute, listRoutes } from '../gateway/win32.ts';
import { pingGateway, tracePath } from '../path/win32.ts';
import { readResolvers } from '../resolvers/win32.ts';
import { createReadWifi, describeRadio, readWifi } from '../wifi/win32.ts';

/** What runs inside wine for windows.int.test.ts: does what its first argument names and prints the outcome as one line of JSON. */
const [task = '', ...args] = process.argv.slice(2);

const radio = (library: string, outgoing: Adapter | undefined, collectSsid: boolean) =>
  withWlan(library, (wlan) => describeRadio(wlan, { adapters: outgoing ? [outgoing] : [], outgoing }, collectSsid));

const adapter = (guid: string, type: number): Adapter => ({
  index: 7,
  index6: 7,
  guid,
  name: 'Wi-Fi',
  description: 'Fake Wi-Fi 6 radio',
  dnsSuffix: '',
  type,
  up: true,
  metric: 25,
  dnsServers: [],
});

const TASKS: Readonly<Record<string, () => Promise<unknown>>> = {
  async machine() {
    const routes = { 4: listRoutes(4), 6: listRoutes(6) };
    return { adapters: listAdapters(), routes, resolvers: await readResolvers(), context: await createContextReader().read() };
  },
  route: async () => await findRoute(args[0] ?? ''),
  trace: async () => await tracePath({ destination: args[0] ?? '', rounds: 3, roundMs: 100, timeoutMs: 700 }),
  ping: async () =>
    await pingGateway({ gateway: args[0] ?? '', towards: args[1] ?? '', count: 5, intervalMs: 20, timeoutMs: 700 }),
  async abort() {
    const reason = new Error('asked to stop');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    const request = { destination: args[0] ?? '', rounds: 50, signal: controller.signal };
    return await tracePath(request).catch((error: unknown) => (error === reason ? 'reason' : String(error)));
  },
  async many() {
    const traces = Array.from({ length: 8 }, () =>
      tracePath({ destination: '127.0.0.1', rounds: 5, roundMs: 20, timeoutMs: 700 }),
    );
    return (await Promise.all(traces)).filter((reading) => 'value' in reading && reading.value.reached).length;
  },
  systemWifi: async () => await readWifi({ collectSsid: true }),
  async fakeWifi() {
    const [library = ''] = args;
    const { guid } = withWlan(library, (wlan) => wlan.interfaces())[0] ?? {};
    const direct = adapter(guid ? guidText(guid) : '', 71);
    const readings = {
      collected: radio(library, direct, true),
      withheld: radio(library, direct, false),
      belowTunnel: radio(library, adapter('{tunnel}', WIN32.constants.IF_TYPE_TUNNEL), false),
      onThisMachine: await createReadWifi(library)({ collectSsid: true }),
    };
    const blocks = openLibrary(library).bind<() => number>('fake_wlan_blocks', { returns: 'int', takes: [] })();
    return { ...readings, blocks };
  },
  fakeWifiRefusal: async () => await createReadWifi(args[0] ?? '')({ collectSsid: true }),
};

console.log(JSON.stringify((await TASKS[task]?.()) ?? null));
