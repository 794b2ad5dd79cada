import koffi from 'koffi';
import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { DARWIN } from '../ffi/layout/darwin.ts';
import { checked } from '../ffi/libc.ts';
import { failureCode } from '../ffi/library.ts';
import { libSystem } from '../ffi/libsystem.ts';
import { allocate } from '../ffi/memory.ts';
import { createFindRoute } from '../gateway/darwin.ts';
import { createReadNetworkIdentity } from '../identity/darwin.ts';
import { measured, unavailable } from '../reading.ts';
import { createChangeWatch } from './change-watch.ts';
import type { WatchNetwork } from './network.ts';
import { endsWayOut } from './route-event.ts';
import { parseRouteAnnouncements } from './route-socket-events.ts';
import { readWayOut } from './way-out.ts';

const { PF_ROUTE, SOCK_RAW, AF_UNSPEC, MSG_DONTWAIT } = DARWIN.constants;
const BUFFER = 16 * 1024;
const MAX_DRAIN = 64;

/** Hears the routing socket, which macOS opens to every user. The SSID is not asked for: it would show the location sign. */
export const createWatchNetwork =
  (libraries: DarwinLibraries): WatchNetwork =>
  (onChange) => {
    try {
      const system = libSystem(libraries.system);
      const fd = checked('routing socket', system.socket(PF_ROUTE, SOCK_RAW, AF_UNSPEC));
      const readIdentity = createReadNetworkIdentity(libraries);
      const look = () => readWayOut(createFindRoute(libraries), () => readIdentity({ collectSsid: false }));
      const watch = createChangeWatch({ look, onChange });
      const buffer = allocate(BUFFER);
      const drain = (): void => {
        for (let i = 0; i < MAX_DRAIN; i += 1) {
          const length = Number(system.recv(fd, buffer, BUFFER, MSG_DONTWAIT));
          if (length <= 0) return;
          for (const event of parseRouteAnnouncements(buffer.subarray(0, length)))
            watch.note((way) => endsWayOut(event, way, () => true));
        }
      };
      const handle = koffi.node.poll(fd, { readable: true }, drain);
      handle.unref();
      return measured(() => {
        watch.stop();
        handle.stop();
        handle.close();
        system.close(fd);
      });
    } catch (error) {
      return unavailable(failureCode(error));
    }
  };

export const watchNetwork: WatchNetwork = createWatchNetwork(DARWIN_LIBRARIES);
