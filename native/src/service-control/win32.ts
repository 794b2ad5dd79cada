import { promisify } from 'node:util';
import koffi from 'koffi';
import { advapi32, serviceCallbacks } from '../ffi/advapi32.ts';
import { kernel32 } from '../ffi/kernel32.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { NativeCallError } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import type { JoinServiceManager, ManagedService, ServiceRequest } from './service-control.ts';
import { readControl, type ServiceState, serviceStatus, serviceTable } from './service-status.ts';

const { ERROR_CALL_NOT_IMPLEMENTED, NO_ERROR, STILL_ACTIVE } = WIN32.constants;
const LOOK_MS = 50;

/** What Windows reads and calls for as long as the process lives: the collector must not take it. */
const kept: unknown[] = [];

export const joinServiceManager: JoinServiceManager = (request) =>
  new Promise((resolve, reject) => {
    const onMain = (): void => {
      clearInterval(look);
      try {
        resolve(beginService(request));
      } catch (error) {
        reject(error);
      }
    };
    const hasEnded = startDispatcher(request.name, onMain);
    // It holds the event loop too, which koffi's calls from other threads do not.
    const look = setInterval(() => {
      if (!hasEnded()) return;
      clearInterval(look);
      reject(new NativeCallError('The service manager of Windows did not start this program'));
    }, LOOK_MS);
  });

/**
 * Runs StartServiceCtrlDispatcherW, which returns when the service has stopped, as a thread of its own: its signature is a thread's.
 * One of Node's pool would do, but Node joins its pool when it exits, and a program that fails would stay there as running.
 */
function startDispatcher(name: string, onMain: () => void): () => boolean {
  const text = Buffer.from(`${name}\0`, 'utf16le');
  const wide = allocate(text.length);
  text.copy(wide);
  const main = koffi.register(onMain, serviceCallbacks().main);
  const table = serviceTable(koffi.address(wide), main);
  kept.push(wide, table);
  // Loads the library.
  advapi32.setServiceStatus();
  const dispatcher = kernel32.procAddress()(kernel32.moduleHandle()('advapi32.dll'), 'StartServiceCtrlDispatcherW');
  const thread = kernel32.createThread()(null, 0, BigInt(dispatcher), table, 0, null);
  if (Number(thread) === 0) throw new NativeCallError('CreateThread', kernel32.lastError()());
  const code = allocate(4);
  return () => kernel32.threadExitCode()(thread, code) !== 0 && code.readUInt32LE(0) !== STILL_ACTIVE;
}

/** In ServiceMain, which may return while the service runs. */
function beginService({ name, onStop, onPower, patienceMs }: ServiceRequest): ManagedService {
  let told = false;
  const stop = (word: string): void => {
    if (told) return;
    told = true;
    tell({ state: 'stopping', patienceMs });
    onStop(new Error(word));
  };
  const onControl = (control: number, event: number): number => {
    const asked = readControl(control, event);
    if (asked === undefined) return ERROR_CALL_NOT_IMPLEMENTED;
    if (asked === 'stop' || asked === 'shutdown') stop(`SERVICE_CONTROL_${asked.toUpperCase()}`);
    if (asked === 'suspend' || asked === 'resume') onPower(asked);
    return NO_ERROR;
  };
  const handler = koffi.register(onControl, serviceCallbacks().handler);
  const handle = advapi32.registerHandler()(name, handler, null);
  if (Number(handle) === 0) throw new NativeCallError('RegisterServiceCtrlHandlerExW', kernel32.lastError()());
  const tell = (state: ServiceState): void => void advapi32.setServiceStatus()(handle, serviceStatus(state));
  tell({ state: 'starting', patienceMs });
  return {
    running() {
      if (!told) tell({ state: 'running' });
    },
    async stopped(exitCode) {
      told = true;
      // Not on this thread: a word of the manager's may wait for it in wine, which holds the lock that this call takes.
      const { async: setLater } = advapi32.setServiceStatus();
      await promisify(setLater)(handle, serviceStatus({ state: 'stopped', exitCode }));
    },
  };
}
