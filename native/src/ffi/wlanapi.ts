import { WIN32 } from './layout/win32.ts';
import { copyBytes, NativeCallError, openLibrary, pointerSlot } from './library.ts';
import { allocate } from './memory.ts';

type Handle = number | bigint;

const { WLAN_INTERFACE_INFO_LIST: LIST, WLAN_INTERFACE_INFO: INFO } = WIN32.structs;
const { NO_ERROR } = WIN32.constants;
const CLIENT_VERSION = 2;
const MAX_INTERFACES = 16;
const convention = '__stdcall';

export interface WlanInterface {
  /** 16 bytes. */
  readonly guid: Buffer;
  /** WLAN_INTERFACE_STATE. */
  readonly state: number;
}

/** Which part of an answer is copied out of the system's memory; the rest is never read. */
export interface WlanQuestion {
  readonly opcode: number;
  /** Ranges [from, to), bytes. What the answer is too short for is left out. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** A session with the WLAN service. */
export interface Wlan {
  interfaces: () => WlanInterface[];
  /** The ranges' bytes, or the system's error. */
  query: (guid: Buffer, question: WlanQuestion) => { readonly parts: readonly Buffer[] } | { readonly status: number };
}

type Query = (
  ...args: [session: Handle, guid: Buffer, opcode: number, reserved: null, size: Buffer, data: Buffer, type: null]
) => number;

function bindWlan(path: string) {
  const library = openLibrary(path);
  const returns = 'uint32_t';
  const pointers = (count: number): string[] => Array<string>(count).fill('void *');
  return {
    open: library.bind<(...args: [version: number, reserved: null, negotiated: Buffer, session: Buffer]) => number>(
      'WlanOpenHandle',
      { convention, returns, takes: ['uint32_t', ...pointers(3)] },
    ),
    close: library.bind<(session: Handle, reserved: null) => number>('WlanCloseHandle', {
      convention,
      returns,
      takes: ['intptr_t', 'void *'],
    }),
    enumerate: library.bind<(session: Handle, reserved: null, list: Buffer) => number>('WlanEnumInterfaces', {
      convention,
      returns,
      takes: ['intptr_t', ...pointers(2)],
    }),
    free: library.bind<(memory: bigint) => void>('WlanFreeMemory', { convention, returns: 'void', takes: pointers(1) }),
    query: library.bind<Query>('WlanQueryInterface', {
      convention,
      returns,
      takes: ['intptr_t', 'void *', 'uint32_t', ...pointers(4)],
    }),
  };
}

type Binding = ReturnType<typeof bindWlan>;
const bindings = new Map<string, Binding>();

/** Opens a session for the time of `use`. Throws a NativeCallError: no library, no service (1062), or what the system refuses. */
export function withWlan<T>(path: string, use: (wlan: Wlan) => T): T {
  const api = bindings.get(path) ?? bindWlan(path);
  bindings.set(path, api);
  const slot = allocate(8);
  const status = api.open(CLIENT_VERSION, null, allocate(4), slot);
  if (status !== NO_ERROR) throw new NativeCallError('WlanOpenHandle', status);
  const session = slot.readBigInt64LE(0);
  try {
    return use({
      interfaces: () => listInterfaces(api, session),
      query: (guid, question) => ask(api, session, { guid, ...question }),
    });
  } finally {
    api.close(session, null);
  }
}

function listInterfaces(api: Binding, session: Handle): WlanInterface[] {
  const list = pointerSlot();
  const status = api.enumerate(session, null, list.slot);
  if (status !== NO_ERROR) throw new NativeCallError('WlanEnumInterfaces', status);
  const pointer = list.pointer();
  try {
    const count = Math.min(MAX_INTERFACES, copyBytes(pointer, LIST.dwNumberOfItems, 4).readUInt32LE(0));
    return Array.from({ length: count }, (_, i) => {
      const at = LIST.InterfaceInfo + i * INFO.sizeof;
      return {
        guid: copyBytes(pointer, at + INFO.InterfaceGuid, 16),
        state: copyBytes(pointer, at + INFO.isState, 4).readUInt32LE(0),
      };
    });
  } finally {
    api.free(pointer);
  }
}

function ask(
  api: Binding,
  session: Handle,
  { guid, opcode, ranges }: WlanQuestion & { guid: Buffer },
): ReturnType<Wlan['query']> {
  const size = allocate(4);
  const data = pointerSlot();
  const wanted = allocate(16);
  guid.copy(wanted);
  const status = api.query(session, wanted, opcode, null, size, data.slot, null);
  if (status !== NO_ERROR) return { status };
  const pointer = data.pointer();
  try {
    const length = size.readUInt32LE(0);
    return { parts: ranges.map(([from, to]) => (to <= length ? copyBytes(pointer, from, to - from) : Buffer.alloc(0))) };
  } finally {
    api.free(pointer);
  }
}

/** `{01234567-89ab-cdef-...}` of a GUID's 16 bytes, lower case. */
export function guidText(guid: Buffer): string {
  const hex = (bytes: Buffer): string => bytes.toString('hex');
  const swapped = (from: number, to: number): string => hex(Buffer.from(guid.subarray(from, to)).reverse());
  const tail = `${hex(guid.subarray(8, 10))}-${hex(guid.subarray(10, 16))}`;
  return `{${swapped(0, 4)}-${swapped(4, 6)}-${swapped(6, 8)}-${tail}}`;
}
