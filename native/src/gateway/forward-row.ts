import { socketAddressText } from '../ffi/adapter-addresses.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import type { RouteRow } from './route-table.ts';

const { structs } = WIN32;
const ROW = structs.MIB_IPFORWARD_ROW2;

/** Reads a MIB_IPFORWARD_ROW2; undefined for one cut short or of another family. */
export function parseForwardRow(bytes: Buffer): RouteRow | undefined {
  if (bytes.length < ROW.sizeof) return undefined;
  const addressAt = (at: number): string | undefined => socketAddressText(bytes.subarray(at, at + structs.SOCKADDR_INET.sizeof));
  const destination = addressAt(ROW.DestinationPrefix);
  const nextHop = addressAt(ROW.NextHop);
  if (destination === undefined) return undefined;
  return {
    interfaceIndex: bytes.readUInt32LE(ROW.InterfaceIndex),
    destination,
    prefixLength: bytes.readUInt8(ROW.PrefixLength),
    nextHop: nextHop === '0.0.0.0' || nextHop === '::' ? undefined : nextHop,
    metric: bytes.readUInt32LE(ROW.Metric),
  };
}
