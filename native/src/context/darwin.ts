import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { DARWIN } from '../ffi/layout/darwin.ts';
import { failureCode, lazily, openLibrary } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { createFindRoute } from '../gateway/darwin.ts';
import { measured, type Reading, unavailable } from '../reading.ts';
import type { ContextReader, CreateContextReader } from './context.ts';
import { noCellular } from './modem-manager.ts';
import { readVpn } from './vpn.ts';

const MAX_TEXT = 64;
/** kIOPMACPowerKey, kIOPMBatteryPowerKey and kIOPMUPSPowerKey of IOKit/pwr_mgt/IOPM.h. */
const ON_BATTERY: Readonly<Record<string, boolean>> = { 'AC Power': false, 'Battery Power': true, 'UPS Power': true };

/** Metered connections are told by the Network framework alone, whose answers need blocks; roams would need the access point's address. */
export function createDarwinContextReader(libraries: DarwinLibraries): ContextReader {
  const findRoute = createFindRoute(libraries);
  const power = lazily(() => bindPower(libraries));
  return {
    read: async (request = {}) => ({
      onBattery: readBattery(power),
      metered: unavailable('not_supported'),
      vpn: await readVpn(findRoute, request),
      roams: unavailable('not_supported'),
      cellular: noCellular('not_supported'),
    }),
  };
}

export const createContextReader: CreateContextReader = () => createDarwinContextReader(DARWIN_LIBRARIES);

function readBattery(power: () => Power): Reading<boolean> {
  try {
    return powerReading(readPowerSource(power()));
  } catch (error) {
    return unavailable(failureCode(error));
  }
}

export function powerReading(source: string | undefined): Reading<boolean> {
  const known = source === undefined ? undefined : ON_BATTERY[source];
  return known === undefined ? unavailable('not_supported') : measured(known);
}

/** Calls of IOKit and CoreFoundation. */
export interface Power {
  copyInfo: () => bigint | null;
  providing: (info: bigint) => bigint | null;
  textOf: (...args: [string: bigint, out: Buffer, size: number, encoding: number]) => boolean;
  release: (object: bigint) => void;
}

/** Throws a NativeCallError where a library or function is missing. */
export function bindPower(libraries: DarwinLibraries): Power {
  const iokit = openLibrary(libraries.power);
  const foundation = openLibrary(libraries.coreFoundation);
  return {
    copyInfo: iokit.bind('IOPSCopyPowerSourcesInfo', { returns: 'void *', takes: [] }),
    providing: iokit.bind('IOPSGetProvidingPowerSourceType', { returns: 'void *', takes: ['void *'] }),
    textOf: foundation.bind('CFStringGetCString', { returns: 'bool', takes: ['void *', 'void *', 'int64_t', 'uint32_t'] }),
    release: foundation.bind('CFRelease', { returns: 'void', takes: ['void *'] }),
  };
}

/** Word for what feeds this Mac; undefined where it has none. */
export function readPowerSource({ copyInfo, providing, textOf, release }: Power): string | undefined {
  const info = copyInfo();
  if (info === null) return undefined;
  try {
    // "Get": the string belongs to the information and is not released.
    const word = providing(info);
    const out = allocate(MAX_TEXT);
    if (word === null || !textOf(word, out, MAX_TEXT, DARWIN.constants.kCFStringEncodingUTF8)) return undefined;
    return out.toString('utf8').split('\0')[0];
  } finally {
    release(info);
  }
}
