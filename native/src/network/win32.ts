import koffi from 'koffi';
import { ipHelper, networkChanged } from '../ffi/iphlpapi.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { copyBytes, failureCode, NativeCallError } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { parseForwardRow } from '../gateway/forward-row.ts';
import { findRoute } from '../gateway/win32.ts';
import { readNetworkIdentity } from '../identity/win32.ts';
import { measured, unavailable } from '../reading.ts';
import { createChangeWatch } from './change-watch.ts';
import type { WatchNetwork } from './network.ts';
import { endsWayOut, type RouteEvent } from './route-event.ts';
import { readWayOut } from './way-out.ts';

const { constants, structs } = WIN32;

/**
 * Hears of routes (NotifyRouteChange2) and addresses (NotifyUnicastIpAddressChange, which tells of each one where NotifyAddrChange
 * tells that there was one). Windows calls on a thread of its own and waits there until Node's thread has taken the call.
 * The SSID is not asked for: it would show the location sign.
 */
export const watchNetwork: WatchNetwork = (onChange) => {
  const opened: (() => void)[] = [];
  try {
    const look = () => readWayOut(findRoute, () => readNetworkIdentity({ collectSsid: false }));
    const watch = createChangeWatch({ look, onChange });
    opened.push(() => watch.stop());
    const onRow = (row: Buffer | undefined, type: number): void => {
      const event = routeEvent(row, type);
      watch.note((way) => event !== undefined && endsWayOut(event, way, () => true));
    };
    const routes = { call: 'NotifyRouteChange2', rowBytes: structs.MIB_IPFORWARD_ROW2.sizeof, onRow };
    const addresses = { call: 'NotifyUnicastIpAddressChange', rowBytes: 0, onRow: () => watch.note() };
    opened.push(subscribe(ipHelper.notifyRoutes(), routes), subscribe(ipHelper.notifyAddresses(), addresses));
    return measured(() => closeAll(opened));
  } catch (error) {
    closeAll(opened);
    return unavailable(failureCode(error));
  }
};

function closeAll(opened: readonly (() => void)[]): void {
  for (const close of opened) close();
}

type Notify = ReturnType<typeof ipHelper.notifyRoutes>;

interface Subscription {
  readonly call: string;
  /** How much of the row is copied out; the rest is never read. */
  readonly rowBytes: number;
  onRow(row: Buffer | undefined, type: number): void;
}

function subscribe(notify: Notify, { call, rowBytes, onRow }: Subscription): () => void {
  const heard = (_context: unknown, row: bigint | null, type: number): void =>
    onRow(row === null || rowBytes === 0 ? undefined : copyBytes(row, 0, rowBytes), type);
  const callback = koffi.register(heard, networkChanged());
  const handle = allocate(8);
  const status = notify(constants.AF_UNSPEC, callback, null, 0, handle);
  if (status !== constants.NO_ERROR) {
    koffi.unregister(callback);
    throw new NativeCallError(call, status);
  }
  return () => {
    // On this thread it would wait for a call that waits for this thread.
    ipHelper.cancelNotify().async(handle.readBigInt64LE(0), () => koffi.unregister(callback));
  };
}

/** A route that was taken away; Windows fills its key alone: destination, interface and next hop. */
export function routeEvent(row: Buffer | undefined, type: number): RouteEvent | undefined {
  const route = row && parseForwardRow(row);
  if (!route) return undefined;
  const removed = type === constants.MibDeleteInstance;
  return { kind: 'route', index: route.interfaceIndex, removed, isDefault: route.prefixLength === 0 };
}
