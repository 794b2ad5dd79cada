import { createEchoHost, createTryEcho } from '../echo/echo-host.ts';
import { findRoute } from '../gateway/win32.ts';
import { openEchoSocket } from './echo-socket-win32.ts';
import { createPingGateway, createTracePath, type ProbeSystem } from './measure-path.ts';
import { createProbeSizes } from './probe-sizes.ts';

/** Echo requests alone: Windows hands ICMP errors of UDP to administrators only. */
const system: ProbeSystem = {
  findRoute,
  openSocket: openEchoSocket,
  chooseMethod: (wanted) => (wanted === 'udp' ? undefined : 'icmp'),
  hearsUdpErrors: false,
};

export const tracePath = createTracePath(system);
export const pingGateway = createPingGateway(system);
export const probeSizes = createProbeSizes(system);
export const echoHost = createEchoHost(system);
export const tryEcho = createTryEcho(system);
