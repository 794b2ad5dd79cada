import { stat } from 'node:fs/promises';
import { AgentError } from '../agent-error.ts';
import type { AgentConfig } from '../config.ts';
import type { ServiceClient } from '../ipc/client.ts';

/** Where the packages let the service of the machine keep its state. */
const MACHINE_STATE_DIRS: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/var/lib/svc-agent',
  darwin: '/var/db/svc-agent',
  win32: 'C:\\Windows\\ServiceProfiles\\LocalService\\.local\\state\\svc-agent',
};

/** `unknown`: one may run as another user, who alone may ask it; `advice` says who may. */
export type FoundService =
  | { kind: 'running'; client: ServiceClient; stateDir: string }
  | { kind: 'stopped'; stateDir: string }
  | { kind: 'unknown'; stateDir: string; advice: string };

interface Owned {
  uid: number;
  gid: number;
}

/** Whose folder it is where that is somebody else; undefined also where there is none. */
async function otherOwner(stateDir: string): Promise<Owned | undefined> {
  const me = process.getuid?.();
  const found = await stat(stateDir).catch(() => undefined);
  return me === undefined || !found || found.uid === me ? undefined : { uid: found.uid, gid: found.gid };
}

/** The service answers the user whom it runs as, and not root: root asks as that user, from here to the end of this process. */
function becomeOwner({ uid, gid }: Owned): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

const adviceFor = (stateDir: string): string =>
  process.platform === 'win32'
    ? 'It answers the window and the commands of whoever sits at this machine, where it runs with --seat. Whether it runs: "sc.exe query svc-agent".'
    : `The service that rests in ${stateDir} runs as another user: run "sudo svc-agent status".`;

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/**
 * Looks for the service of the person who asks, then for the machine's. As root it asks as the user whom that runs as. Throws
 * AgentError where one is there and breaks off.
 */
export async function findService({ stateDir, seatSocket }: AgentConfig): Promise<FoundService> {
  // Loaded before the user changes: what comes later need not be readable for that one.
  const { connectToSeat, connectToService, isSeatThere } = await import('../ipc/client.ts');
  const machine = MACHINE_STATE_DIRS[process.platform] ?? stateDir;
  const isOwnThere = await isFolder(stateDir);
  const place = isOwnThere || !(await isFolder(machine)) ? stateDir : machine;
  const owner = await otherOwner(place);
  if (owner && process.getuid?.() === 0) becomeOwner(owner);
  const ask = (open: Promise<ServiceClient>): Promise<ServiceClient | AgentError> =>
    open.catch((error) => {
      if (error instanceof AgentError) return error;
      throw error;
    });
  const own = await ask(connectToService(place, 'cli'));
  if (!(own instanceof AgentError)) return { kind: 'running', client: own, stateDir: place };
  const seat = isSeatThere(seatSocket) ? await ask(connectToSeat(seatSocket, 'cli')) : undefined;
  if (seat && !(seat instanceof AgentError)) return { kind: 'running', client: seat, stateDir: place };
  const isHidden =
    own.code === 'forbidden' || seat?.code === 'forbidden' || (owner !== undefined && process.getuid?.() !== owner.uid);
  const isWindowsService = process.platform === 'win32' && place === machine;
  if (isHidden || isWindowsService)
    return { kind: 'unknown', stateDir: place, advice: adviceFor(seat && !owner ? machine : place) };
  if (own.code === 'unreachable') return { kind: 'stopped', stateDir: place };
  throw own;
}
