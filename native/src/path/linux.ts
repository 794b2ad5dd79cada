import { createEchoHost, createTryEcho } from '../echo/echo-host.ts';
import { findRoute } from '../gateway/linux.ts';
import { createPingGateway, createTracePath, type ProbeSystem } from './measure-path.ts';
import { createProbeSizes } from './probe-sizes.ts';
import { openProbeSocket, tryIcmp } from './probe-socket-linux.ts';

/** ICMP datagram sockets where this user may open them, else UDP with the error queue. */
const system: ProbeSystem = {
  findRoute,
  openSocket: openProbeSocket,
  chooseMethod: (wanted, family) => wanted ?? (tryIcmp(family).allowed ? 'icmp' : 'udp'),
  hearsUdpErrors: true,
};

export const tracePath = createTracePath(system);
export const pingGateway = createPingGateway(system);
export const probeSizes = createProbeSizes(system);
export const echoHost = createEchoHost(system);
export const tryEcho = createTryEcho(system);
