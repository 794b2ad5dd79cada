import koffi from 'koffi';

const AF_PACKET = 17;
const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0o4000;
const ETH_P_ALL = 0x0003;
const SOL_PACKET = 263;
const PACKET_VNET_HDR = 15;
const PACKET_IGNORE_OUTGOING = 23;
const FRAME_BYTES = 10 + 65_550;
const MAX_DRAIN = 256;

/** Raw frames of one interface, each with its virtio-net header in front, so that unfinished checksums and large segments pass. */
export interface PacketSocket {
  /** The frame is valid only during the call. */
  listen: (onFrame: (frame: Buffer) => void) => void;
  /** A frame that the interface refuses is lost, as on a wire. */
  send: (frame: Buffer) => void;
}

const library = koffi.load(null);
const libc = {
  socket: library.func('int socket(int, int, int)'),
  setsockopt: library.func('int setsockopt(int, int, int, const void *, uint32_t)'),
  bind: library.func('int bind(int, const void *, uint32_t)'),
  send: library.func('int64_t send(int, const void *, size_t, int)'),
  recv: library.func('int64_t recv(int, void *, size_t, int)'),
  ifNameToIndex: library.func('uint32_t if_nametoindex(const char *)'),
};

function check(call: string, answer: number): number {
  if (answer < 0) throw new Error(`${call}: errno ${koffi.errno()}`);
  return answer;
}

const handles: ReturnType<typeof koffi.node.poll>[] = [];

/** Needs CAP_NET_RAW. Lives as long as the process. */
export function openPacketSocket(interfaceName: string): PacketSocket {
  const fd = check('socket', libc.socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0));
  const one = Buffer.from(new ArrayBuffer(4));
  one.writeInt32LE(1, 0);
  check('PACKET_VNET_HDR', libc.setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, one, 4));
  check('PACKET_IGNORE_OUTGOING', libc.setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, one, 4));
  const index: number = libc.ifNameToIndex(interfaceName);
  if (index === 0) throw new Error(`no interface ${interfaceName}`);
  const address = Buffer.from(new ArrayBuffer(20));
  address.writeUInt16LE(AF_PACKET, 0);
  address.writeUInt16BE(ETH_P_ALL, 2);
  address.writeInt32LE(index, 4);
  check('bind', libc.bind(fd, address, 20));
  const buffer = Buffer.from(new ArrayBuffer(FRAME_BYTES));
  return {
    listen(onFrame) {
      // Kept: a handle that nobody holds is collected, and the socket falls silent.
      handles.push(
        koffi.node.poll(fd, { readable: true }, () => {
          for (let i = 0; i < MAX_DRAIN; i += 1) {
            const length: number = Number(libc.recv(fd, buffer, FRAME_BYTES, 0));
            if (length <= 0) break;
            onFrame(buffer.subarray(0, length));
          }
        }),
      );
    },
    send: (frame) => {
      libc.send(fd, frame, frame.length, 0);
    },
  };
}
