import { addressBytes, familyOf } from '../ffi/address.ts';
import type { Reading } from '../reading.ts';
import type { RouteRow } from './route-table.ts';

/** The way beneath a tunnel: where the VPN's own packets leave this device. */
export interface Underlay {
  readonly family: 4 | 6;
  readonly gateway: string;
  readonly interfaceName: string;
  readonly interfaceIndex: number;
  /** The VPN's server, where the system's routes tell: the one host that is led around the tunnel. `not_supported`: they do not. */
  readonly endpoint: Reading<string>;
}

/** Looks for the physical way out beneath a tunnel; sends nothing. `no_target`: routes tell of none. */
export type FindUnderlay = () => Promise<Reading<Underlay>>;

export interface UnderlayRow {
  readonly gateway: string;
  readonly interfaceIndex: number;
  readonly endpoint: string | undefined;
}

/**
 * The physical way out among the routes of one family: the default route beside the tunnel, or, where the VPN took that one away,
 * the route of the one host that is led around the tunnel.
 */
export function chooseUnderlay(
  rows: readonly RouteRow[],
  isTunnel: (interfaceIndex: number) => boolean,
): UnderlayRow | undefined {
  const physical = rows.flatMap((row) =>
    row.nextHop !== undefined && !isTunnel(row.interfaceIndex) ? [{ ...row, gateway: row.nextHop }] : [],
  );
  const around = physical.filter((row) => isHost(row) && isFarAway(row.destination));
  const byDefault = physical.filter((row) => row.prefixLength === 0).toSorted((a, b) => a.metric - b.metric)[0];
  const way = byDefault ?? around[0];
  if (!way) return undefined;
  const endpoints = new Set(around.filter((row) => row.gateway === way.gateway).map((row) => row.destination));
  // Several such hosts may be split DNS or a second VPN: then nothing tells which one the endpoint is.
  return {
    gateway: way.gateway,
    interfaceIndex: way.interfaceIndex,
    endpoint: endpoints.size === 1 ? [...endpoints][0] : undefined,
  };
}

const isHost = ({ destination, prefixLength }: RouteRow): boolean => prefixLength === (familyOf(destination) === 4 ? 32 : 128);

/** Neither multicast nor of this link or machine. */
function isFarAway(address: string): boolean {
  const bytes = addressBytes(address);
  const first = bytes.readUInt8(0);
  if (bytes.length === 4) return first !== 127 && first < 224 && !(first === 169 && bytes.readUInt8(1) === 254);
  return (
    first !== 0xff && !(first === 0xfe && (bytes.readUInt8(1) & 0xc0) === 0x80) && !bytes.subarray(0, 15).every((b) => b === 0)
  );
}
