import koffi from 'koffi';
import { lazily, openLibrary } from './library.ts';

type Handle = number | bigint;
type Bytes = Buffer;
type Nothing = null;

/** PIO_APC_ROUTINE of icmpapi.h: the context given with a request, its status block, nothing. */
export const echoEnded = lazily(() =>
  koffi.pointer(koffi.proto('__stdcall', 'EchoEnded', 'void', ['uintptr_t', 'void *', 'uint32_t'])),
);

/** PIPFORWARD_CHANGE_CALLBACK and PUNICAST_IPADDRESS_CHANGE_CALLBACK of netioapi.h: context, row, MIB_NOTIFICATION_TYPE. */
export const networkChanged = lazily(() =>
  koffi.pointer(koffi.proto('__stdcall', 'NetworkChanged', 'void', ['void *', 'void *', 'int'])),
);

const library = lazily(() => {
  echoEnded();
  networkChanged();
  return openLibrary('iphlpapi.dll');
});
const convention = '__stdcall';

const NOTIFY_TAKES = ['uint16_t', 'NetworkChanged *', 'void *', 'uint8_t', 'void *'];
const ECHO_TAKES = ['void *', 'uint16_t', 'void *', 'void *', 'uint32_t', 'uint32_t'];

type Request = [data: Bytes, size: number, options: Bytes, reply: Bytes, replySize: number, timeoutMs: number];
type Echo4 = (...args: [icmp: Handle, event: 0, onEnd: bigint, id: number, to: number, ...Request]) => number;
type Echo6 = (...args: [icmp: Handle, event: 0, onEnd: bigint, id: number, from: Bytes, to: Bytes, ...Request]) => number;
type BestRoute = (
  ...args: [luid: Nothing, index: number, from: Nothing, to: Bytes, options: number, row: Bytes, source: Bytes]
) => number;
type NotifyChange = (...args: [family: number, onChange: bigint, context: Nothing, initial: 0, handle: Bytes]) => number;
type AdaptersAddresses = (...args: [family: number, flags: number, reserved: Nothing, out: Bytes, length: Bytes]) => number;

/** Functions of iphlpapi.dll, each bound on first use. Answers as in their manual page. */
export const ipHelper = {
  createIcmp: lazily(() => library().bind<() => Handle>('IcmpCreateFile', { convention, returns: 'intptr_t', takes: [] })),
  createIcmp6: lazily(() => library().bind<() => Handle>('Icmp6CreateFile', { convention, returns: 'intptr_t', takes: [] })),
  closeIcmp: lazily(() =>
    library().bind<(icmp: Handle) => number>('IcmpCloseHandle', { convention, returns: 'int', takes: ['intptr_t'] }),
  ),
  sendEcho: lazily(() =>
    library().bind<Echo4>('IcmpSendEcho2', {
      convention,
      returns: 'uint32_t',
      takes: ['intptr_t', 'intptr_t', 'EchoEnded *', 'uintptr_t', 'uint32_t', ...ECHO_TAKES],
    }),
  ),
  sendEcho6: lazily(() =>
    library().bind<Echo6>('Icmp6SendEcho2', {
      convention,
      returns: 'uint32_t',
      takes: ['intptr_t', 'intptr_t', 'EchoEnded *', 'uintptr_t', 'void *', 'void *', ...ECHO_TAKES],
    }),
  ),
  parseReplies: lazily(() =>
    library().bind<(reply: Bytes, size: number) => number>('IcmpParseReplies', {
      convention,
      returns: 'uint32_t',
      takes: ['void *', 'uint32_t'],
    }),
  ),
  parseReplies6: lazily(() =>
    library().bind<(reply: Bytes, size: number) => number>('Icmp6ParseReplies', {
      convention,
      returns: 'uint32_t',
      takes: ['void *', 'uint32_t'],
    }),
  ),
  bestRoute: lazily(() =>
    library().bind<BestRoute>('GetBestRoute2', {
      convention,
      returns: 'uint32_t',
      takes: ['void *', 'uint32_t', 'void *', 'void *', 'uint32_t', 'void *', 'void *'],
    }),
  ),
  forwardTable: lazily(() =>
    library().bind<(family: number, table: Bytes) => number>('GetIpForwardTable2', {
      convention,
      returns: 'uint32_t',
      takes: ['uint16_t', 'void *'],
    }),
  ),
  freeTable: lazily(() =>
    library().bind<(table: bigint) => void>('FreeMibTable', { convention, returns: 'void', takes: ['void *'] }),
  ),
  notifyRoutes: lazily(() =>
    library().bind<NotifyChange>('NotifyRouteChange2', { convention, returns: 'uint32_t', takes: NOTIFY_TAKES }),
  ),
  notifyAddresses: lazily(() =>
    library().bind<NotifyChange>('NotifyUnicastIpAddressChange', { convention, returns: 'uint32_t', takes: NOTIFY_TAKES }),
  ),
  /** Waits for calls under way, which end on Node's own thread: only ever called on another one. */
  cancelNotify: lazily(() =>
    library().bind<(handle: Handle) => number>('CancelMibChangeNotify2', {
      convention,
      returns: 'uint32_t',
      takes: ['intptr_t'],
    }),
  ),
  adapterAddresses: lazily(() =>
    library().bind<AdaptersAddresses>('GetAdaptersAddresses', {
      convention,
      returns: 'uint32_t',
      takes: ['uint32_t', 'uint32_t', 'void *', 'void *', 'void *'],
    }),
  ),
} as const;
