import { addressBytes } from '../ffi/address.ts';
import { type EchoRequest, echoRequests } from '../ffi/echo-requests.ts';
import { ipHelper } from '../ffi/iphlpapi.ts';
import { kernel32 } from '../ffi/kernel32.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { NativeCallError } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { encodeSockaddr, WIN32_SOCKADDR } from '../ffi/sockaddr.ts';
import { parseEchoReply } from './echo-reply.ts';
import { type OpenProbeSocket, type ProbeSocketOptions, payloadBytesOf } from './probe-socket.ts';

const { structs, constants } = WIN32;
/** Besides its data, the reply has room for the eight bytes of an ICMP error that the manual page asks for, and to spare. */
const REPLY_BYTES = structs.ICMP_ECHO_REPLY.sizeof + 128;
/** IP_FLAG_DF */
const DONT_FRAGMENT = 2;
const DEFAULT_TTL = 128;
const INVALID_HANDLE = -1;
const ERROR_NAMES: Readonly<Record<number, string>> = {
  [constants.ERROR_ACCESS_DENIED]: 'EACCES',
  [constants.ERROR_NETWORK_UNREACHABLE]: 'ENETUNREACH',
  [constants.ERROR_HOST_UNREACHABLE]: 'EHOSTUNREACH',
  [constants.IP_DEST_NET_UNREACHABLE]: 'ENETUNREACH',
  [constants.IP_DEST_HOST_UNREACHABLE]: 'EHOSTUNREACH',
};

/** Echo requests of the IP helper. Only the method ICMP. */
export const openEchoSocket: OpenProbeSocket = (options) => {
  const requests = echoRequests();
  const icmp = options.family === 4 ? ipHelper.createIcmp()() : ipHelper.createIcmp6()();
  if (Number(icmp) === INVALID_HANDLE) throw new NativeCallError('IcmpCreateFile', kernel32.lastError()());
  const template = { icmp, timeoutMs: options.timeoutMs, ...addresses(options) };
  let pending = 0;
  let closed = false;
  // A handle that is closed ends its requests in an order that no page promises: it is closed after the last of them.
  const closeWhenQuiet = (): void => {
    if (closed && pending === 0) ipHelper.closeIcmp()(icmp);
  };
  return {
    send(index, ttl = DEFAULT_TTL) {
      const request = { ...template, ...createPacket(ttl, options) };
      const sentAtMs = Date.now();
      const refused = requests.start(request, (replies) => {
        pending -= 1;
        const found = replies > 0 ? parseEchoReply(request.reply, options) : undefined;
        if (found && !closed) {
          options.onAnswer({ index, address: found.address, kind: found.kind, receivedAtMs: sentAtMs + found.rttMs });
        }
        closeWhenQuiet();
      });
      if (refused !== undefined) return { error: ERROR_NAMES[refused] ?? `error ${refused}` };
      pending += 1;
      return { sentAtMs };
    },
    close() {
      if (closed) return;
      closed = true;
      closeWhenQuiet();
    },
  };
};

function addresses({ destination, family, scope }: ProbeSocketOptions): Pick<EchoRequest, 'to' | 'from6'> {
  const zone = scope === undefined ? {} : { scope };
  return {
    to:
      family === 4
        ? addressBytes(destination).readUInt32LE(0)
        : encodeSockaddr({ address: destination, port: 0, ...zone }, WIN32_SOCKADDR),
    from6: encodeSockaddr({ address: '::', port: 0 }, WIN32_SOCKADDR),
  };
}

function createPacket(ttl: number, probe: ProbeSocketOptions): Pick<EchoRequest, 'data' | 'options' | 'reply'> {
  const payload = payloadBytesOf(probe);
  const options = allocate(structs.IP_OPTION_INFORMATION.sizeof);
  options.writeUInt8(ttl, structs.IP_OPTION_INFORMATION.Ttl);
  if (probe.packetBytes !== undefined) options.writeUInt8(DONT_FRAGMENT, structs.IP_OPTION_INFORMATION.Flags);
  return { data: allocate(payload), options, reply: allocate(REPLY_BYTES + payload) };
}
