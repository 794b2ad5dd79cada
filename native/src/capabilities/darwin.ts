import { bindPower, createDarwinContextReader, readPowerSource } from '../context/darwin.ts';
import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { libSystem } from '../ffi/libsystem.ts';
import { openObjectiveC } from '../ffi/objc.ts';
import { createFindRoute, listRoutes } from '../gateway/darwin.ts';
import { createOpenSocket } from '../path/echo-socket-darwin.ts';
import { readingValue } from '../reading.ts';
import { createReadResolvers } from '../resolvers/darwin.ts';
import { readCoreWlan } from '../wifi/core-wlan.ts';
import { createReadWifi } from '../wifi/darwin.ts';
import type { ReportCapabilities } from './capabilities.ts';
import { describeContext, describeReading, describeWifi, failureOf } from './describe.ts';
import { describeEchoPaths } from './echo-paths.ts';

/** Tries each reading once; sockets are opened and closed, nothing is sent. */
export const createReportCapabilities =
  (libraries: DarwinLibraries): ReportCapabilities =>
  async () => {
    const resolvers = await createReadResolvers(libraries)();
    const radioFailure = failureOf(() => readCoreWlan(openObjectiveC(libraries.objc, libraries.wifiFrameworks), false));
    const powerFailure = failureOf(() => readPowerSource(bindPower(libraries)));
    return [
      ...describeWifi(await createReadWifi(libraries)({ collectSsid: true }), {
        how: 'CoreWLAN',
        missing: radioFailure ?? 'this Mac has no Wi-Fi',
        ssidRefused: 'needs location permission: System Settings, Privacy & Security, Location Services',
        noiseMissing: 'the radio gave no noise figure',
      }),
      ...(await describeEchoPaths({
        findRoute: createFindRoute(libraries),
        openSocket: createOpenSocket(libraries),
        routeWords: 'route table by sysctl',
        echoWords: 'ICMP datagram sockets are open to every user',
        routeFailure: () => failureOf(() => listRoutes(libSystem(libraries.system), 4)),
      })),
      describeReading('resolvers', resolvers, {
        how: `${readingValue(resolvers)?.servers.length} in ${readingValue(resolvers)?.source}`,
        reasons: { no_target: 'no DNS server is configured' },
      }),
      ...describeContext(await createDarwinContextReader(libraries).read(), {
        on_battery: { how: 'IOPSGetProvidingPowerSourceType', missing: powerFailure ?? 'macOS names no power source' },
        metered: { how: '', missing: 'macOS tells by the Network framework alone, which is not bound' },
        vpn: { how: 'name of the interface that the route leaves by' },
        roams: { how: '', missing: "macOS ties the access point's address to the location permission" },
        cellular: { how: '', missing: 'Macs have no modem of their own' },
      }),
    ];
  };

export const reportCapabilities: ReportCapabilities = createReportCapabilities(DARWIN_LIBRARIES);
