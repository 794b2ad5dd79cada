import type { UnavailableCode } from '@svc/contracts/verdict';
import { readingOf, unavailable } from '../reading.ts';
import type { Connection, WifiReading } from './wifi.ts';

/** A reading whose radio fields are all unavailable for one reason. */
export function silentRadio(connection: Connection, code: UnavailableCode, interfaceName?: string): WifiReading {
  const none = unavailable(code);
  return {
    connection,
    interfaceName: readingOf(interfaceName, code),
    rssiDbm: none,
    signalPercent: none,
    noiseDbm: none,
    snrDb: none,
    linkRateMbps: none,
    channel: none,
    frequencyMhz: none,
    band: none,
    ssid: none,
  };
}

/** 0 at -100 dBm, 100 at -50 dBm, linear between: the scale that Windows documents, so that fleets compare. */
export const signalPercentOf = (rssiDbm: number): number => Math.max(0, Math.min(100, Math.round(2 * (rssiDbm + 100))));
