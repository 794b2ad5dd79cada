import koffi from 'koffi';
import { copyBytes, failureCode, lazily, NativeCallError, openLibrary, pointerSlot } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { measured, type Reading, unavailable } from '../reading.ts';

const convention = '__stdcall';
/** netlistmgr.h, its GUIDs as they lie in memory. */
const NETWORK_LIST_MANAGER = Buffer.from('010cb0dc0f579b4a8d69199fdba5723b', 'hex');
const NETWORK_COST_MANAGER = Buffer.from('0800b0dc0f579b4a8d69199fdba5723b', 'hex');
/** Places in the interface's table of functions: IUnknown's three come first. */
const RELEASE = 2;
const GET_COST = 3;
/** Fixed, variable, over its limit, roaming. */
const METERED = 0x2 | 0x4 | 0x10000 | 0x40000;

const MULTITHREADED = 0;
const ANY_SERVER = 23;
/** This thread is set up for COM already, in another manner: that serves as well. */
const CHANGED_MODE = 0x80010106;
const ACCESS_DENIED = 0x80070005;

type Create = (...args: [classId: Buffer, outer: null, context: number, interfaceId: Buffer, out: Buffer]) => number;

function bindCom(path: string) {
  const library = openLibrary(path);
  return {
    initialise: library.bind<(reserved: null, mode: number) => number>('CoInitializeEx', {
      convention,
      returns: 'uint32_t',
      takes: ['void *', 'uint32_t'],
    }),
    create: library.bind<Create>('CoCreateInstance', {
      convention,
      returns: 'uint32_t',
      takes: ['void *', 'void *', 'uint32_t', 'void *', 'void *'],
    }),
  };
}

const getCost = lazily(() => koffi.proto(convention, 'GetCost', 'uint32_t', ['void *', 'void *', 'void *']));
const release = lazily(() => koffi.proto(convention, 'Release', 'uint32_t', ['void *']));

/** Reads by INetworkCostManager whether the connection in use is metered. `path` is `ole32.dll` but in tests. */
export function createReadMetered(path: string): () => Reading<boolean> {
  const com = lazily(() => bindCom(path));
  return () => {
    try {
      return meteredReading(readCost(com()));
    } catch (error) {
      const denied = error instanceof NativeCallError && error.status === ACCESS_DENIED;
      return unavailable(denied ? 'permission' : failureCode(error));
    }
  };
}

/** NLM_CONNECTION_COST: a set of flags, 0 for unknown. */
export const meteredReading = (cost: number): Reading<boolean> =>
  cost === 0 ? unavailable('not_supported') : measured((cost & METERED) !== 0);

const isFailure = (status: number): boolean => status >= 0x80000000;

function readCost({ initialise, create }: ReturnType<typeof bindCom>): number {
  const ready = initialise(null, MULTITHREADED);
  if (isFailure(ready) && ready !== CHANGED_MODE) throw new NativeCallError('CoInitializeEx', ready);
  const manager = pointerSlot();
  const made = create(inMemory(NETWORK_LIST_MANAGER), null, ANY_SERVER, inMemory(NETWORK_COST_MANAGER), manager.slot);
  if (isFailure(made)) throw new NativeCallError('CoCreateInstance', made);
  const object = manager.pointer();
  const functions = copyBytes(object, 0, 8).readBigUInt64LE(0);
  const functionAt = (place: number): bigint => copyBytes(functions, 8 * place, 8).readBigUInt64LE(0);
  try {
    const cost = allocate(4);
    // Without an address it is the cost of the machine's way out.
    const status: number = koffi.call(functionAt(GET_COST), getCost(), object, cost, null);
    if (isFailure(status)) throw new NativeCallError('GetCost', status);
    return cost.readUInt32LE(0);
  } finally {
    koffi.call(functionAt(RELEASE), release(), object);
  }
}

function inMemory(bytes: Buffer): Buffer {
  const copy = allocate(bytes.length);
  bytes.copy(copy);
  return copy;
}
