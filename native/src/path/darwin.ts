import { createEchoHost, createTryEcho } from '../echo/echo-host.ts';
import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { createFindRoute } from '../gateway/darwin.ts';
import { createOpenSocket } from './echo-socket-darwin.ts';
import { createPingGateway, createTracePath, type ProbeSystem } from './measure-path.ts';
import { createProbeSizes } from './probe-sizes.ts';

/** Echo requests alone: macOS has no error queue for UDP. */
export const createDarwinProbes = (libraries: DarwinLibraries): ProbeSystem => ({
  findRoute: createFindRoute(libraries),
  openSocket: createOpenSocket(libraries),
  chooseMethod: (wanted) => (wanted === 'udp' ? undefined : 'icmp'),
  hearsUdpErrors: false,
  // Without the Local Network permission (macOS 15). A neighbour that is gone gives EHOSTDOWN.
  localNetworkRefusal: 'EHOSTUNREACH',
});

const system = createDarwinProbes(DARWIN_LIBRARIES);

export const tracePath = createTracePath(system);
export const pingGateway = createPingGateway(system);
export const probeSizes = createProbeSizes(system);
export const echoHost = createEchoHost(system);
export const tryEcho = createTryEcho(system);
