import { socketAddressText } from '../ffi/adapter-addresses.ts';
import { addressBytes } from '../ffi/address.ts';
import { WIN32 } from '../ffi/layout/win32.ts';

const { structs } = WIN32;
const ROW = structs.MIB_IPFORWARD_ROW2;

/** One row of Windows' route table. */
export interface ForwardRow {
  readonly interfaceIndex: number;
  readonly destination: string;
  readonly prefixLength: number;
  /** Undefined where the destination is on the link. */
  readonly nextHop: string | undefined;
  readonly metric: number;
}

/** Reads a MIB_IPFORWARD_ROW2; undefined for one cut short or of another family. */
export function parseForwardRow(bytes: Buffer): ForwardRow | undefined {
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

/** The row that a packet to `address` takes: the longest prefix, of those the lowest metric. */
export function chooseRow(rows: readonly ForwardRow[], address: string): ForwardRow | undefined {
  const matching = rows.filter((row) => isWithin(address, row));
  return matching.toSorted((a, b) => b.prefixLength - a.prefixLength || a.metric - b.metric)[0];
}

function isWithin(address: string, { destination, prefixLength }: ForwardRow): boolean {
  const [one, other] = [addressBytes(address), addressBytes(destination)];
  if (one.length !== other.length || prefixLength > 8 * one.length) return false;
  const whole = prefixLength >> 3;
  if (!one.subarray(0, whole).equals(other.subarray(0, whole))) return false;
  const rest = 8 - (prefixLength & 7);
  return rest === 8 || one.readUInt8(whole) >> rest === other.readUInt8(whole) >> rest;
}
