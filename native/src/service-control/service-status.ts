import { WIN32 } from '../ffi/layout/win32.ts';
import { allocate } from '../ffi/memory.ts';

const { SERVICE_STATUS: STATUS, SERVICE_TABLE_ENTRYW: ENTRY } = WIN32.structs;
const {
  ERROR_SERVICE_SPECIFIC_ERROR,
  NO_ERROR,
  PBT_APMRESUMEAUTOMATIC,
  PBT_APMRESUMESUSPEND,
  PBT_APMSUSPEND,
  SERVICE_ACCEPT_POWEREVENT,
  SERVICE_ACCEPT_SHUTDOWN,
  SERVICE_ACCEPT_STOP,
  SERVICE_CONTROL_INTERROGATE,
  SERVICE_CONTROL_POWEREVENT,
  SERVICE_CONTROL_SHUTDOWN,
  SERVICE_CONTROL_STOP,
  SERVICE_RUNNING,
  SERVICE_START_PENDING,
  SERVICE_STOP_PENDING,
  SERVICE_STOPPED,
  SERVICE_WIN32_OWN_PROCESS,
} = WIN32.constants;

/** Where a service is. `patienceMs` is how long the step may take, `exitCode` the program's own. */
export type ServiceState =
  | { readonly state: 'starting' | 'stopping'; readonly patienceMs: number }
  | { readonly state: 'running' }
  | { readonly state: 'stopped'; readonly exitCode: number };

const CODES = {
  starting: SERVICE_START_PENDING,
  running: SERVICE_RUNNING,
  stopping: SERVICE_STOP_PENDING,
  stopped: SERVICE_STOPPED,
} as const;

/** A SERVICE_STATUS. It can be stopped from its start on, until it is told to. */
export function serviceStatus(now: ServiceState): Buffer {
  const bytes = allocate(STATUS.sizeof);
  const set = (field: number, value: number) => bytes.writeUInt32LE(value, field);
  set(STATUS.dwServiceType, SERVICE_WIN32_OWN_PROCESS);
  set(STATUS.dwCurrentState, CODES[now.state]);
  if (now.state === 'starting' || now.state === 'running')
    set(STATUS.dwControlsAccepted, SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN | SERVICE_ACCEPT_POWEREVENT);
  if ('patienceMs' in now) {
    set(STATUS.dwCheckPoint, 1);
    set(STATUS.dwWaitHint, now.patienceMs);
  }
  if (now.state === 'stopped') {
    set(STATUS.dwWin32ExitCode, now.exitCode === 0 ? NO_ERROR : ERROR_SERVICE_SPECIFIC_ERROR);
    set(STATUS.dwServiceSpecificExitCode, now.exitCode);
  }
  return bytes;
}

/** What a control asks for; `nothing` only wants an answer. Undefined: one that this service does not take. */
export function readControl(control: number, event: number): 'stop' | 'shutdown' | 'suspend' | 'resume' | 'nothing' | undefined {
  if (control === SERVICE_CONTROL_STOP) return 'stop';
  if (control === SERVICE_CONTROL_SHUTDOWN) return 'shutdown';
  if (control === SERVICE_CONTROL_INTERROGATE) return 'nothing';
  if (control !== SERVICE_CONTROL_POWEREVENT) return undefined;
  if (event === PBT_APMSUSPEND) return 'suspend';
  // The first for every waking, the second after it where a person is there.
  return event === PBT_APMRESUMEAUTOMATIC || event === PBT_APMRESUMESUSPEND ? 'resume' : 'nothing';
}

/** The dispatcher's table of one service. The addresses are of a name in UTF-16 and of its ServiceMain. */
export function serviceTable(name: bigint, main: bigint): Buffer {
  const bytes = allocate(2 * ENTRY.sizeof);
  bytes.writeBigUInt64LE(name, ENTRY.lpServiceName);
  bytes.writeBigUInt64LE(main, ENTRY.lpServiceProc);
  return bytes;
}
