import { timespecMs } from '../ffi/control-message.ts';
import { LINUX } from '../ffi/layout/linux.ts';
import { checked, errorName, lastError, libc, SystemCallError } from '../ffi/libc.ts';
import { allocate } from '../ffi/memory.ts';
import { AF_INET, AF_INET6, encodeSockaddr } from '../ffi/sockaddr.ts';
import { watchDescriptor } from '../ffi/watch-descriptor.ts';
import { answerOf, BASE_PORT, type Received } from './answer.ts';
import type { ProbeMethod } from './path.ts';
import { type OpenProbeSocket, type ProbeSocket, type ProbeSocketOptions, payloadBytesOf } from './probe-socket.ts';
import { createReceiver } from './receiver-linux.ts';

const C = LINUX.constants;
const ICMP_ECHO = 8;
const ICMPV6_ECHO = 128;
const MAX_SENDS = 4;
/** Errors of an earlier probe that the kernel hands to the next send. */
const LEFT_OVER = new Set(['EHOSTUNREACH', 'ECONNREFUSED', 'EPROTO', 'EACCES', 'EMSGSIZE', 'ENETUNREACH']);

const isV6 = (options: ProbeSocketOptions): boolean => options.family === 6;

function openSocket(options: ProbeSocketOptions): number {
  const protocol = options.method === 'udp' ? 0 : isV6(options) ? C.IPPROTO_ICMPV6 : C.IPPROTO_ICMP;
  const type = C.SOCK_DGRAM | C.SOCK_NONBLOCK | C.SOCK_CLOEXEC;
  return checked(`${options.method} socket`, libc().socket(isV6(options) ? AF_INET6 : AF_INET, type, protocol));
}

/** Whether this user may open ICMP datagram sockets (net.ipv4.ping_group_range); the error's name where not. */
export function tryIcmp(family: 4 | 6): { allowed: true } | { allowed: false; error: string } {
  try {
    libc().close(openSocket({ destination: '', family, method: 'icmp', timeoutMs: 0, onAnswer: () => undefined }));
    return { allowed: true };
  } catch (error) {
    if (error instanceof SystemCallError) return { allowed: false, error: error.code };
    throw error;
  }
}

/** ICMP datagram socket, or UDP with the error queue. */
export const openProbeSocket: OpenProbeSocket = (options) => {
  const fd = openSocket(options);
  try {
    setFlag(fd, isV6(options) ? [C.SOL_IPV6, C.IPV6_RECVERR] : [C.SOL_IP, C.IP_RECVERR]);
    setFlag(fd, [C.SOL_SOCKET, C.SO_TIMESTAMPNS]);
    if (options.through !== undefined) bindToInterface(fd, options.through, options.method);
    if (options.packetBytes !== undefined) forbidFragments(fd, options);
    return listen(fd, options);
  } catch (error) {
    libc().close(fd);
    throw error;
  }
};

/** Open to every user from Linux 5.7 on. An echo finds its way to the gateway without it, a probe that expires there does not. */
function bindToInterface(fd: number, name: string, method: ProbeMethod): void {
  const bytes = allocate(Buffer.byteLength(name) + 1);
  bytes.write(name);
  const answer = libc().setsockopt(fd, C.SOL_SOCKET, C.SO_BINDTODEVICE, bytes, bytes.length);
  if (method === 'udp') checked('setsockopt SO_BINDTODEVICE', answer);
}

/** Also where this host has learned a smaller size of the path: what is known is what shall be found out. */
function forbidFragments(fd: number, options: ProbeSocketOptions): void {
  if (isV6(options)) setFlag(fd, [C.SOL_IPV6, C.IPV6_MTU_DISCOVER], C.IPV6_PMTUDISC_PROBE);
  else setFlag(fd, [C.SOL_IP, C.IP_MTU_DISCOVER], C.IP_PMTUDISC_PROBE);
}

function setFlag(fd: number, [level, name]: readonly [number, number], value = 1): void {
  const bytes = allocate(4);
  bytes.writeInt32LE(value, 0);
  checked('setsockopt', libc().setsockopt(fd, level, name, bytes, 4));
}

function listen(fd: number, options: ProbeSocketOptions): ProbeSocket {
  const receiver = createReceiver(fd);
  const onReceived = (received: Received): void => {
    const answer = answerOf(received, options);
    if (answer) options.onAnswer(answer);
  };
  const drain = (): void => receiver.drain(onReceived);
  // The error queue shows as an error of the socket alone.
  const unwatch = watchDescriptor(fd, drain, { keepsAlive: true });
  const probe = createProbe(fd, options);
  let closed = false;
  return {
    send(index, ttl) {
      if (ttl !== undefined) setFlag(fd, isV6(options) ? [C.SOL_IPV6, C.IPV6_UNICAST_HOPS] : [C.SOL_IP, C.IP_TTL], ttl);
      return probe.send(index);
    },
    close() {
      if (closed) return;
      closed = true;
      unwatch();
      libc().close(fd);
    },
  };
}

function createProbe(fd: number, options: ProbeSocketOptions) {
  const icmp = options.method === 'icmp';
  const to = encodeSockaddr({
    address: options.destination,
    port: 0,
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  });
  const payload = payloadBytesOf(options);
  const packet = allocate(icmp ? 8 + payload : payload);
  const clock = allocate(LINUX.structs.timespec.sizeof);
  const prepare = (index: number): void => {
    if (!icmp) {
      to.writeUInt16BE(BASE_PORT + index, 2);
      return;
    }
    packet.writeUInt8(isV6(options) ? ICMPV6_ECHO : ICMP_ECHO, 0);
    packet.writeUInt16BE(index, 6);
    // Number and complement keep the checksum constant, so that balanced paths are not mixed.
    packet.writeUInt16BE(0xffff - index, 8);
  };
  return {
    send(index: number): { sentAtMs: number } | { error: string } {
      prepare(index);
      for (let tries = 1; ; tries += 1) {
        libc().clockGettime(C.CLOCK_REALTIME, clock);
        if (libc().sendto(fd, packet, packet.length, 0, to, to.length) >= 0) return { sentAtMs: timespecMs(clock, 0) };
        const error = errorName(lastError());
        if (tries === MAX_SENDS || !LEFT_OVER.has(error)) return { error };
      }
    },
  };
}
