import type { UnavailableCode } from '@svc/contracts/verdict';
import type { ContextReading } from '../context/context.ts';
import { failureCode } from '../ffi/library.ts';
import { type Reading, readingValue } from '../reading.ts';
import type { WifiReading } from '../wifi/wifi.ts';
import type { Capability, CapabilityName } from './capabilities.ts';

type Reasons = Readonly<Partial<Record<UnavailableCode, string>>>;

export const can = (name: CapabilityName, detail: string): Capability => ({ name, available: true, detail });

export const cannot = (name: CapabilityName, unavailable: UnavailableCode, detail: string): Capability => ({
  name,
  available: false,
  unavailable,
  detail,
});

/** A reading as a capability: how it is read, or why not. */
export const describeReading = (
  name: CapabilityName,
  reading: Reading<unknown>,
  { how, reasons = {} }: { how: string; reasons?: Reasons },
): Capability =>
  'value' in reading
    ? can(name, how)
    : cannot(name, reading.unavailable, reasons[reading.unavailable] ?? COMMON_REASONS[reading.unavailable]);

const COMMON_REASONS: Readonly<Record<UnavailableCode, string>> = {
  not_supported: 'this system does not tell',
  permission: 'the system refuses to tell this user',
  withheld: 'switched off on this device',
  no_target: 'there is no route out of this device',
  wired: 'this device is connected by cable',
  tunnel: 'all traffic goes through a tunnel and no radio is connected',
  not_connected: 'the radio is not connected to a network',
  no_reading: 'there is no reading yet',
  asleep: 'there is no reading',
  not_built: 'not built for this system',
  measuring: 'not measured yet',
};

export interface WifiWords {
  readonly how: string;
  /** Why no radio was found at all. */
  readonly missing: string;
  readonly ssidRefused?: string;
  readonly noiseMissing?: string;
}

export function describeWifi(wifi: WifiReading, { how, missing, ssidRefused, noiseMissing }: WifiWords): Capability[] {
  const connected = wifi.connection === 'wifi';
  const name = readingValue(wifi.interfaceName);
  const on = name === undefined ? how : `${how} on ${name}`;
  const reasons = connected ? {} : { not_supported: missing };
  const noise = connected && noiseMissing !== undefined ? { not_supported: noiseMissing } : reasons;
  return [
    describeReading('wifi', wifi.rssiDbm, { how: on, reasons }),
    describeReading('ssid', wifi.ssid, {
      how: on,
      reasons: { ...reasons, ...(ssidRefused === undefined ? {} : { permission: ssidRefused }) },
    }),
    describeReading('noise', wifi.noiseDbm, { how: on, reasons: noise }),
  ];
}

export type ContextWords = Readonly<
  Record<'on_battery' | 'metered' | 'vpn' | 'roams' | 'cellular', { how: string; missing?: string }>
>;

export function describeContext(context: ContextReading, words: ContextWords): Capability[] {
  const describe = (name: keyof ContextWords, reading: Reading<unknown>): Capability => {
    const { how, missing } = words[name];
    return describeReading(name, reading, { how, ...(missing === undefined ? {} : { reasons: { not_supported: missing } }) });
  };
  return [
    describe('on_battery', context.onBattery),
    describe('metered', context.metered),
    describe('vpn', context.vpn),
    describe('roams', context.roams),
    describe('cellular', context.cellular.rsrpDbm),
  ];
}

/** What kept a try from working, in the system's words; undefined where it works. */
export function failureOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A try that opens and closes something. */
export function describeTry(name: CapabilityName, how: string, attempt: () => unknown): Capability {
  try {
    attempt();
    return can(name, how);
  } catch (error) {
    return cannot(name, failureCode(error), messageOf(error));
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
