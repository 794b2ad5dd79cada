import { createContextReader } from '../context/win32.ts';
import { listAdapters } from '../ffi/adapter-addresses.ts';
import { withWlan } from '../ffi/wlanapi.ts';
import { findRoute, listRoutes } from '../gateway/win32.ts';
import { openEchoSocket } from '../path/echo-socket-win32.ts';
import { readingValue } from '../reading.ts';
import { readResolvers } from '../resolvers/win32.ts';
import { readWifi } from '../wifi/win32.ts';
import type { ReportCapabilities } from './capabilities.ts';
import { describeContext, describeReading, describeWifi, failureOf } from './describe.ts';
import { describeEchoPaths } from './echo-paths.ts';

/** Tries each reading once; handles are opened and closed, nothing is sent. */
export const reportCapabilities: ReportCapabilities = async () => {
  const resolvers = await readResolvers();
  return [
    ...describeWifi(await readWifi({ collectSsid: true }), {
      how: 'wlanapi',
      missing:
        failureOf(() => withWlan('wlanapi.dll', (wlan) => wlan.interfaces())) ?? 'no Wi-Fi radio, or its driver does not tell',
      ssidRefused: 'needs location permission: Settings, Privacy & security, Location, "Let desktop apps access your location"',
      noiseMissing: 'Windows has no noise figure',
    }),
    ...(await describeEchoPaths({
      findRoute,
      openSocket: openEchoSocket,
      routeWords: 'route look-up by iphlpapi',
      echoWords: 'IcmpSendEcho2',
      routeFailure: () => failureOf(() => listRoutes(4)) ?? failureOf(listAdapters),
    })),
    describeReading('resolvers', resolvers, {
      how: `${readingValue(resolvers)?.servers.length} by GetAdaptersAddresses`,
      reasons: {
        no_target: 'no DNS server is configured',
        not_supported: failureOf(listAdapters) ?? 'this system does not tell',
      },
    }),
    ...describeContext(await createContextReader().read(), {
      on_battery: { how: 'GetSystemPowerStatus', missing: 'Windows does not know, or the call failed' },
      metered: { how: 'INetworkCostManager', missing: 'Windows knows no cost of this connection' },
      vpn: { how: 'type and driver of the adapter that the route leaves by' },
      roams: { how: '', missing: "Windows ties the access point's address to the location permission" },
      cellular: { how: '', missing: 'Windows tells by COM alone (IMbnSignal), which is not bound' },
    }),
  ];
};
