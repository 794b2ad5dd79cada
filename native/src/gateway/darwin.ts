import { familyOf, splitZone } from '../ffi/address.ts';
import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { DARWIN } from '../ffi/layout/darwin.ts';
import { checked } from '../ffi/libc.ts';
import { failureCode } from '../ffi/library.ts';
import { type LibSystem, libSystem } from '../ffi/libsystem.ts';
import { allocate } from '../ffi/memory.ts';
import { measured, type Reading, readingOf, unavailable } from '../reading.ts';
import type { FindRoute, Route } from './gateway.ts';
import { type DarwinRoute, parseRouteMessages } from './route-messages.ts';
import { chooseRow } from './route-table.ts';
import { findSource } from './source-address.ts';
import { chooseUnderlay, type FindUnderlay } from './underlay.ts';

const { constants } = DARWIN;
/** Routes that come between asking for the size and reading. */
const SPARE_BYTES = 8192;
const TUNNEL_NAMES = /^(utun|ipsec|ppp|tun|tap|gif|stf)\d+$/;

export const createFindRoute =
  (libraries: DarwinLibraries): FindRoute =>
  async (destination) => {
    const family = familyOf(destination);
    try {
      const system = libSystem(libraries.system);
      const row = chooseRoute(listRoutes(system, family), splitZone(destination).address);
      if (!row) return unavailable('no_target');
      const name = interfaceName(system, row.interfaceIndex);
      if (name === undefined) return unavailable('not_supported');
      return describeRoute(row, { family, name, source: await findSource(destination) });
    } catch (error) {
      return unavailable(failureCode(error));
    }
  };

export const findRoute: FindRoute = createFindRoute(DARWIN_LIBRARIES);

/** A VPN leaves the physical default route in place for sockets that are bound to its interface (scoped). */
export const createFindUnderlay =
  (libraries: DarwinLibraries): FindUnderlay =>
  async () => {
    try {
      const system = libSystem(libraries.system);
      for (const family of [4, 6] as const) {
        const rows = listRoutes(system, family).map((row) => ({ ...row, metric: row.scoped ? 1 : 0 }));
        const way = chooseUnderlay(rows, (index) => isTunnelName(interfaceName(system, index) ?? 'utun0'));
        const name = way && interfaceName(system, way.interfaceIndex);
        if (!way || name === undefined) continue;
        const { gateway, interfaceIndex, endpoint } = way;
        return measured({ family, gateway, interfaceName: name, interfaceIndex, endpoint: readingOf(endpoint, 'not_supported') });
      }
      return unavailable('no_target');
    } catch (error) {
      return unavailable(failureCode(error));
    }
  };

export const findUnderlay: FindUnderlay = createFindUnderlay(DARWIN_LIBRARIES);

/** The kernel's table of one family by sysctl; no privilege, no packet. Throws a SystemCallError. */
export function listRoutes(system: LibSystem, family: 4 | 6): DarwinRoute[] {
  const number = family === 4 ? constants.AF_INET : constants.AF_INET6;
  const name = allocate(24);
  for (const [i, part] of [constants.CTL_NET, constants.PF_ROUTE, 0, number, constants.NET_RT_DUMP, 0].entries()) {
    name.writeInt32LE(part, 4 * i);
  }
  const size = allocate(8);
  checked('sysctl NET_RT_DUMP', system.sysctl(name, 6, null, size, null, 0));
  const bytes = allocate(Number(size.readBigUInt64LE(0)) + SPARE_BYTES);
  size.writeBigUInt64LE(BigInt(bytes.length), 0);
  checked('sysctl NET_RT_DUMP', system.sysctl(name, 6, bytes, size, null, 0));
  return parseRouteMessages(bytes.subarray(0, Number(size.readBigUInt64LE(0))));
}

/** Routes for bound sockets count only where no other one leads there. */
export const chooseRoute = (routes: readonly DarwinRoute[], destination: string): DarwinRoute | undefined =>
  chooseRow(
    routes.filter((route) => !route.scoped),
    destination,
  ) ?? chooseRow(routes, destination);

function interfaceName(system: LibSystem, index: number): string | undefined {
  const out = allocate(constants.IF_NAMESIZE);
  if (system.ifIndexToName(index, out) === null) return undefined;
  return out.toString('latin1').split('\0')[0] || undefined;
}

export const isTunnelName = (name: string): boolean => TUNNEL_NAMES.test(name);

interface Outgoing {
  readonly family: 4 | 6;
  readonly name: string;
  readonly source: string | undefined;
}

function describeRoute(row: DarwinRoute, { family, name, source }: Outgoing): Reading<Route> {
  const tunnel = isTunnelName(name);
  return measured({
    family,
    gateway: tunnel ? unavailable('tunnel') : readingOf(row.nextHop, 'no_target'),
    interfaceName: name,
    interfaceIndex: row.interfaceIndex,
    source: readingOf(source, 'not_supported'),
    tunnel,
  });
}
