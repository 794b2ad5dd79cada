import { randomInt } from 'node:crypto';
import koffi from 'koffi';
import { timespecMs } from '../ffi/control-message.ts';
import type { DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { DARWIN } from '../ffi/layout/darwin.ts';
import { checked, errorName, lastError } from '../ffi/libc.ts';
import { type LibSystem, libSystem } from '../ffi/libsystem.ts';
import { allocate } from '../ffi/memory.ts';
import { DARWIN_SOCKADDR, encodeSockaddr } from '../ffi/sockaddr.ts';
import { type EchoContext, parseEchoDatagram, writeEcho } from './echo-datagram.ts';
import { type OpenProbeSocket, type ProbeSocketOptions, payloadBytesOf } from './probe-socket.ts';
import { createReceiver } from './receiver-darwin.ts';

const C = DARWIN.constants;
const ECHO_HEADER_BYTES = 8;

/** An ICMP datagram socket, which macOS opens to every user. Only the method ICMP. */
export const createOpenSocket =
  (libraries: DarwinLibraries): OpenProbeSocket =>
  (options) => {
    const system = libSystem(libraries.system);
    const v6 = options.family === 6;
    const fd = checked(
      'icmp socket',
      system.socket(v6 ? C.AF_INET6 : C.AF_INET, C.SOCK_DGRAM, v6 ? C.IPPROTO_ICMPV6 : C.IPPROTO_ICMP),
    );
    try {
      setFlag(system, fd, [C.SOL_SOCKET, C.SO_TIMESTAMP, 1]);
      if (options.packetBytes !== undefined)
        setFlag(system, fd, v6 ? [C.IPPROTO_IPV6, C.IPV6_DONTFRAG, 1] : [C.IPPROTO_IP, C.IP_DONTFRAG, 1]);
    } catch (error) {
      system.close(fd);
      throw error;
    }
    return listen(system, fd, options);
  };

function setFlag(system: LibSystem, fd: number, [level, name, value]: readonly [number, number, number]): void {
  const bytes = allocate(4);
  bytes.writeInt32LE(value, 0);
  checked('setsockopt', system.setsockopt(fd, level, name, bytes, 4));
}

function listen(system: LibSystem, fd: number, options: ProbeSocketOptions): ReturnType<OpenProbeSocket> {
  const { destination, family, source } = options;
  const context: EchoContext = {
    destination,
    family,
    identifier: randomInt(0x10000),
    ...(source === undefined ? {} : { source }),
  };
  const receiver = createReceiver(system, fd);
  const drain = (): void =>
    receiver.drain(({ data, from, receivedAtMs }) => {
      const answer = parseEchoDatagram(data, from, context);
      if (answer) options.onAnswer({ ...answer, receivedAtMs });
    });
  const handle = koffi.node.poll(fd, { readable: true }, drain);
  const sendEcho = createSender(system, fd, { options, context });
  let closed = false;
  return {
    send(index, ttl) {
      if (ttl !== undefined)
        setFlag(system, fd, family === 6 ? [C.IPPROTO_IPV6, C.IPV6_UNICAST_HOPS, ttl] : [C.IPPROTO_IP, C.IP_TTL, ttl]);
      return sendEcho(index);
    },
    close() {
      if (closed) return;
      closed = true;
      handle.stop();
      handle.close();
      system.close(fd);
    },
  };
}

function createSender(
  system: LibSystem,
  fd: number,
  { options, context }: { options: ProbeSocketOptions; context: EchoContext },
) {
  const scope = options.scope === undefined ? {} : { scope: options.scope };
  const to = encodeSockaddr({ address: options.destination, port: 0, ...scope }, DARWIN_SOCKADDR);
  const packet = allocate(ECHO_HEADER_BYTES + payloadBytesOf(options));
  const clock = allocate(DARWIN.structs.timespec.sizeof);
  return (index: number): { sentAtMs: number } | { error: string } => {
    writeEcho(packet, index, context);
    system.clockGettime(C.CLOCK_REALTIME, clock);
    const sent = Number(system.sendto(fd, packet, packet.length, C.MSG_DONTWAIT, to, to.length));
    return sent < 0 ? { error: errorName(lastError()) } : { sentAtMs: timespecMs(clock, 0) };
  };
}
