import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UnavailableCode } from '@svc/contracts/verdict';
import { LINUX } from '../ffi/layout/linux.ts';
import { SystemCallError } from '../ffi/libc.ts';
import type { Route } from '../gateway/gateway.ts';
import { findRoute } from '../gateway/linux.ts';
import { type Reading, unavailable } from '../reading.ts';
import { listStations, type Nl80211, withNl80211 } from '../wifi/linux-link.ts';
import { digestAssociation } from '../wifi/nl80211-association.ts';
import type { CreateContextReader } from './context.ts';
import { createCellularReader } from './modem-manager.ts';
import { METERED_QUESTION, meteredReading } from './network-manager.ts';
import { batteryReading, type PowerSupply } from './power-supply.ts';
import { type Association, createRoamCounter } from './roam-counter.ts';
import { runTool } from './run-tool.ts';
import { readVpn } from './vpn.ts';

const POWER_SUPPLIES = '/sys/class/power_supply';
const NETWORK_MANAGER = '/run/NetworkManager';
const PPP = String(LINUX.constants.ARPHRD_PPP);

export const createContextReader: CreateContextReader = () => {
  const key = randomBytes(32);
  const countRoams = createRoamCounter();
  const readCellular = createCellularReader(runTool, () => performance.now());
  return {
    async read(request = {}) {
      const [onBattery, metered, vpn, cellular] = await Promise.all([
        readBattery(),
        readMetered(),
        readVpn(findRoute, request, isPpp),
        readCellular(),
      ]);
      return { onBattery, metered, vpn, roams: countRoams(readAssociation(key)), cellular };
    },
  };
};

const readWord = async (file: string): Promise<string | undefined> =>
  (await readFile(file, 'utf8').catch(() => undefined))?.trim();

async function readBattery(): Promise<Reading<boolean>> {
  const names = await readdir(POWER_SUPPLIES).catch(() => []);
  const supplies = names.map(async (name): Promise<PowerSupply> => {
    const fields = (['type', 'online', 'status', 'scope'] as const).map(async (field) => {
      const word = await readWord(join(POWER_SUPPLIES, name, field));
      return word === undefined ? [] : [[field, word] as const];
    });
    return Object.fromEntries((await Promise.all(fields)).flat());
  });
  return batteryReading(await Promise.all(supplies));
}

/** NetworkManager is the one that knows; a child process is started only where it runs. */
async function readMetered(): Promise<Reading<boolean>> {
  const runs = await readdir(NETWORK_MANAGER).catch(() => undefined);
  if (!runs) return unavailable('not_supported');
  const answer = await runTool('busctl', METERED_QUESTION);
  if ('failed' in answer) return unavailable(answer.failed === 'refused' ? 'permission' : 'not_supported');
  return meteredReading(answer.output);
}

const isPpp = async (route: Route): Promise<boolean> => (await readWord(`/sys/class/net/${route.interfaceName}/type`)) === PPP;

function readAssociation(key: Buffer): Association | UnavailableCode {
  try {
    return withNl80211((nl80211) => associationOf(nl80211, key));
  } catch (error) {
    const refused = error instanceof SystemCallError && (error.code === 'EPERM' || error.code === 'EACCES');
    return refused ? 'permission' : 'not_supported';
  }
}

/** The first radio that is associated; `not_connected` where there are radios and none is. */
export function associationOf(nl80211: Nl80211, key: Buffer): Association | UnavailableCode {
  const stations = listStations(nl80211);
  for (const { index, ssid } of stations) {
    for (const message of nl80211.station(index)) {
      const found = digestAssociation(message, { key, ...(ssid === undefined ? {} : { ssid }) });
      if (found) return found;
    }
  }
  return stations.length > 0 ? 'not_connected' : 'not_supported';
}
