import { LINUX } from '../ffi/layout/linux.ts';
import { errorName, lastError, libc } from '../ffi/libc.ts';
import { failureCode } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { NETLINK_ROUTE, openAnnouncements } from '../ffi/netlink/netlink.ts';
import { watchDescriptor } from '../ffi/watch-descriptor.ts';
import { findRoute } from '../gateway/linux.ts';
import { readNetworkIdentity } from '../identity/linux.ts';
import { measured, unavailable } from '../reading.ts';
import { listStations, withNl80211 } from '../wifi/linux-link.ts';
import { createChangeWatch } from './change-watch.ts';
import type { WatchNetwork } from './network.ts';
import { endsWayOut } from './route-event.ts';
import { parseRouteEvents } from './rtnetlink-events.ts';
import { readWayOut } from './way-out.ts';

const C = LINUX.constants;
const GROUPS = C.RTMGRP_LINK | C.RTMGRP_IPV4_IFADDR | C.RTMGRP_IPV4_ROUTE | C.RTMGRP_IPV6_IFADDR | C.RTMGRP_IPV6_ROUTE;
const BUFFER = 32 * 1024;
/** A flood must not hold the loop: what is left wakes it again. */
const MAX_DRAIN = 64;

/** Hears rtnetlink's announcements of links, addresses and routes. */
export const watchNetwork: WatchNetwork = (onChange) => {
  try {
    const fd = openAnnouncements(NETLINK_ROUTE, GROUPS);
    const watch = createChangeWatch({
      look: () => readWayOut(findRoute, () => readNetworkIdentity({ collectSsid: true })),
      onChange,
    });
    const buffer = allocate(BUFFER);
    const drain = (): void => {
      for (let i = 0; i < MAX_DRAIN; i += 1) {
        const length = libc().recv(fd, buffer, BUFFER, C.MSG_DONTWAIT);
        if (length < 0) {
          // Announcements that did not fit into the socket are lost; a look finds what they said.
          if (errorName(lastError()) === 'ENOBUFS') watch.note();
          return;
        }
        for (const event of parseRouteEvents(buffer.subarray(0, length)))
          watch.note((way) => endsWayOut(event, way, (index) => radios().has(index)));
      }
    };
    const unwatch = watchDescriptor(fd, drain, { keepsAlive: false });
    return measured(() => {
      watch.stop();
      unwatch();
      libc().close(fd);
    });
  } catch (error) {
    return unavailable(failureCode(error));
  }
};

function radios(): ReadonlySet<number> {
  try {
    return withNl80211((nl80211) => new Set(listStations(nl80211).map((station) => station.index)));
  } catch {
    return new Set();
  }
}
