import { kernel32 } from '../ffi/kernel32.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { failureCode, NativeCallError } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { findRoute } from '../gateway/win32.ts';
import { measured, type Reading, unavailable } from '../reading.ts';
import type { CreateContextReader } from './context.ts';
import { noCellular } from './modem-manager.ts';
import { createReadMetered } from './network-cost.ts';
import { readVpn } from './vpn.ts';

const { sizeof, ACLineStatus } = WIN32.structs.SYSTEM_POWER_STATUS;

const readMetered = createReadMetered('ole32.dll');

/**
 * Mobile signal (IMbnSignal) takes a chain of COM objects for each modem and is not read; roams would need the access point's address,
 * which the system ties to the location permission.
 */
export const createContextReader: CreateContextReader = () => ({
  read: async (request = {}) => ({
    onBattery: readBattery(),
    metered: readMetered(),
    vpn: await readVpn(findRoute, request),
    roams: unavailable('not_supported'),
    cellular: noCellular('not_supported'),
  }),
});

function readBattery(): Reading<boolean> {
  try {
    const status = allocate(sizeof);
    if (kernel32.powerStatus()(status) === 0) throw new NativeCallError('GetSystemPowerStatus', kernel32.lastError()());
    return lineReading(status);
  } catch (error) {
    return unavailable(failureCode(error));
  }
}

/** ACLineStatus of a SYSTEM_POWER_STATUS: 0 on battery, 1 plugged in, 255 unknown. */
export function lineReading(status: Buffer): Reading<boolean> {
  const line = status.readUInt8(ACLineStatus);
  return line === 0 || line === 1 ? measured(line === 0) : unavailable('not_supported');
}
