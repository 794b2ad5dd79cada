import { type Adapter, isTunnel, listAdapters, socketAddressText } from '../ffi/adapter-addresses.ts';
import { familyOf, splitZone } from '../ffi/address.ts';
import { ipHelper } from '../ffi/iphlpapi.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { copyBytes, failureCode, NativeCallError, pointerSlot } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { encodeSockaddr, WIN32_SOCKADDR } from '../ffi/sockaddr.ts';
import { measured, type Reading, readingOf, unavailable } from '../reading.ts';
import { parseForwardRow } from './forward-row.ts';
import type { FindRoute, Route } from './gateway.ts';
import { chooseRow, type RouteRow } from './route-table.ts';
import { findSource } from './source-address.ts';
import { chooseUnderlay, type FindUnderlay, type Underlay } from './underlay.ts';

const { structs, constants } = WIN32;
const ROW_BYTES = structs.MIB_IPFORWARD_ROW2.sizeof;
const MAX_ROWS = 4096;
/** What GetBestRoute2 answers where nothing leads there. */
const NO_ROUTE = new Set<number>([
  constants.ERROR_NETWORK_UNREACHABLE,
  constants.ERROR_HOST_UNREACHABLE,
  constants.ERROR_NOT_FOUND,
]);

/** Asks GetBestRoute2, which follows VPNs and metrics; the route table only where that is not there. Sends nothing. */
export const findRoute: FindRoute = async (destination) => {
  const family = familyOf(destination);
  try {
    const best = askBestRoute(splitZone(destination).address, family);
    if (!best) return unavailable('no_target');
    const source = best.source ?? (await findSource(destination));
    return describeRoute({ ...best, source }, family, listAdapters());
  } catch (error) {
    return unavailable(failureCode(error));
  }
};

/** Interface types and drivers tell tunnels from what is physical; a row's metric counts on top of its adapter's. */
export const findUnderlay: FindUnderlay = async () => {
  try {
    const adapters = listAdapters();
    return underlayOf(adapters, 4, listRoutes(4)) ?? underlayOf(adapters, 6, listRoutes(6)) ?? unavailable('no_target');
  } catch (error) {
    return unavailable(failureCode(error));
  }
};

export function underlayOf(
  adapters: readonly Adapter[],
  family: 4 | 6,
  routes: readonly RouteRow[],
): Reading<Underlay> | undefined {
  const adapterOf = (index: number): Adapter | undefined =>
    adapters.find((one) => (family === 4 ? one.index : one.index6) === index);
  const rows = routes.map((row) => ({ ...row, metric: row.metric + (adapterOf(row.interfaceIndex)?.metric ?? 0) }));
  const way = chooseUnderlay(rows, (index) => {
    const adapter = adapterOf(index);
    return !adapter?.up || isTunnel(adapter);
  });
  const adapter = way && adapterOf(way.interfaceIndex);
  if (!adapter) return undefined;
  const { gateway, interfaceIndex, endpoint } = way;
  const base = { family, gateway: splitZone(gateway).address, interfaceName: adapter.name, interfaceIndex };
  return measured({ ...base, endpoint: readingOf(endpoint, 'not_supported') });
}

interface BestRoute {
  readonly row: RouteRow;
  readonly source: string | undefined;
}

function askBestRoute(destination: string, family: 4 | 6): BestRoute | undefined {
  const row = allocate(ROW_BYTES);
  const source = allocate(structs.SOCKADDR_INET.sizeof);
  const to = allocate(structs.SOCKADDR_INET.sizeof);
  encodeSockaddr({ address: destination, port: 0 }, WIN32_SOCKADDR).copy(to);
  const status = ipHelper.bestRoute()(null, 0, null, to, 0, row, source);
  if (status === constants.NO_ERROR) {
    const found = parseForwardRow(row);
    return found && { row: found, source: socketAddressText(source) };
  }
  if (NO_ROUTE.has(status)) return undefined;
  if (status !== constants.ERROR_NOT_SUPPORTED) throw new NativeCallError('GetBestRoute2', status);
  const found = chooseRow(listRoutes(family), destination);
  return found && { row: found, source: undefined };
}

/** The route table of one family. Throws a NativeCallError where the system refuses. */
export function listRoutes(family: 4 | 6): RouteRow[] {
  const table = pointerSlot();
  const status = ipHelper.forwardTable()(family === 4 ? constants.AF_INET : constants.AF_INET6, table.slot);
  if (status === constants.ERROR_NOT_FOUND) return [];
  if (status !== constants.NO_ERROR) throw new NativeCallError('GetIpForwardTable2', status);
  const pointer = table.pointer();
  try {
    const count = Math.min(MAX_ROWS, copyBytes(pointer, 0, 4).readUInt32LE(0));
    const first = structs.MIB_IPFORWARD_TABLE2.Table;
    return Array.from(
      { length: count },
      (_, i) => parseForwardRow(copyBytes(pointer, first + i * ROW_BYTES, ROW_BYTES)) ?? [],
    ).flat();
  } finally {
    ipHelper.freeTable()(pointer);
  }
}

export function describeRoute({ row, source }: BestRoute, family: 4 | 6, adapters: readonly Adapter[]): Reading<Route> {
  const adapter = adapters.find((one) => (family === 4 ? one.index : one.index6) === row.interfaceIndex);
  if (!adapter) return unavailable('not_supported');
  const tunnel = isTunnel(adapter);
  const gateway = row.nextHop === undefined ? undefined : splitZone(row.nextHop).address;
  return measured({
    family,
    gateway: tunnel ? unavailable('tunnel') : readingOf(gateway, 'no_target'),
    interfaceName: adapter.name,
    interfaceIndex: row.interfaceIndex,
    source: readingOf(source, 'not_supported'),
    tunnel,
  });
}
