import { addressBytes } from '../ffi/address.ts';

/** One row of a system's route table. */
export interface RouteRow {
  readonly interfaceIndex: number;
  readonly destination: string;
  readonly prefixLength: number;
  /** Undefined where the destination is on the link. */
  readonly nextHop: string | undefined;
  readonly metric: number;
}

/** The row that a packet to `address` takes: the longest prefix, of those the lowest metric. */
export function chooseRow<R extends RouteRow>(rows: readonly R[], address: string): R | undefined {
  const wanted = addressBytes(address);
  const matching = rows.filter((row) => isWithin(wanted, row));
  return matching.toSorted((a, b) => b.prefixLength - a.prefixLength || a.metric - b.metric)[0];
}

function isWithin(wanted: Buffer, { destination, prefixLength }: RouteRow): boolean {
  const network = addressBytes(destination);
  if (wanted.length !== network.length || prefixLength > 8 * wanted.length) return false;
  const whole = prefixLength >> 3;
  if (!wanted.subarray(0, whole).equals(network.subarray(0, whole))) return false;
  const rest = 8 - (prefixLength & 7);
  return rest === 8 || wanted.readUInt8(whole) >> rest === network.readUInt8(whole) >> rest;
}
