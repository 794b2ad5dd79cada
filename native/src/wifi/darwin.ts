import { unavailable } from '../reading.ts';
import type { ReadWifi } from './wifi.ts';

const notBuilt = unavailable('not_built');

/** CoreWLAN is not built yet: every field says so. */
export const readWifi: ReadWifi = async () => ({
  connection: 'unknown',
  interfaceName: notBuilt,
  rssiDbm: notBuilt,
  signalPercent: notBuilt,
  noiseDbm: notBuilt,
  snrDb: notBuilt,
  linkRateMbps: notBuilt,
  channel: notBuilt,
  frequencyMhz: notBuilt,
  band: notBuilt,
  ssid: notBuilt,
});
