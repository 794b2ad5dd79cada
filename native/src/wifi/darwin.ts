import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { failureCode } from '../ffi/library.ts';
import { openObjectiveC } from '../ffi/objc.ts';
import { createFindRoute } from '../gateway/darwin.ts';
import { readingValue } from '../reading.ts';
import { describeLink, type Outgoing, readCoreWlan } from './core-wlan.ts';
import { silentRadio } from './silent-radio.ts';
import type { ReadWifi } from './wifi.ts';

/** Addresses that exist only in documents: what routes them is the default route, and no packet is sent. */
const ANYWHERE = ['192.0.2.1', '2001:db8::1'] as const;

export function createReadWifi(libraries: DarwinLibraries): ReadWifi {
  const findRoute = createFindRoute(libraries);
  return async ({ collectSsid }) => {
    const outgoing = await findOutgoing(findRoute);
    try {
      const objc = openObjectiveC(libraries.objc, libraries.wifiFrameworks);
      return describeLink(readCoreWlan(objc, collectSsid), outgoing, collectSsid);
    } catch (error) {
      return silentRadio('unknown', failureCode(error));
    }
  };
}

async function findOutgoing(findRoute: ReturnType<typeof createFindRoute>): Promise<Outgoing | undefined> {
  for (const address of ANYWHERE) {
    const route = readingValue(await findRoute(address));
    if (route) return { name: route.interfaceName, tunnel: route.tunnel };
  }
  return undefined;
}

export const readWifi: ReadWifi = createReadWifi(DARWIN_LIBRARIES);
