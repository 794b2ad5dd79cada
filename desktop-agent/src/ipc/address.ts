import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../agent-error.ts';

/** Bytes of a socket's path that every system takes, its closing zero left out. */
const LONGEST_PATH = 103;
const PIPE_NAME = /^[0-9a-f]{32}$/;
const pipeFile = (stateDir: string): string => join(stateDir, 'agent.pipe');
export const pipePath = (name: string): string => `\\\\.\\pipe\\svc-agent-${name}`;

/**
 * Where a service listens that rests in this state directory. On Windows a pipe with a random name that is written down in the
 * state directory: nobody else can guess it and be there first. Throws `usage` where the path is too long for a socket.
 */
export async function addressToListen(stateDir: string, platform: string = process.platform): Promise<string> {
  if (platform !== 'win32') return socketPath(stateDir);
  const name = newPipeName();
  await writeFile(pipeFile(stateDir), name, { mode: 0o600 });
  return pipePath(name);
}

/** The same for a face that looks for it. Throws `unreachable` where no service has ever listened. */
export async function addressToConnect(stateDir: string, platform: string = process.platform): Promise<string> {
  if (platform !== 'win32') return socketPath(stateDir);
  return await readPipePath(pipeFile(stateDir), stateDir);
}

/** A name for a pipe that no name before it tells, and where a service of the machine writes it down. */
export const newPipeName = (): string => randomBytes(16).toString('hex');

/**
 * Where a face connects to a service of the machine. On Windows `address` is the file that holds its pipe's name: a service of the
 * machine alone may write there. Throws `unreachable` where it holds none.
 */
export async function seatToConnect(address: string, platform: string = process.platform): Promise<string> {
  return platform === 'win32' ? await readPipePath(address, address) : address;
}

async function readPipePath(file: string, where: string): Promise<string> {
  const name = await readFile(file, 'utf8').catch(() => '');
  if (!PIPE_NAME.test(name)) throw new AgentError('unreachable', `No agent runs on ${where}.`);
  return pipePath(name);
}

function socketPath(stateDir: string): string {
  const path = join(stateDir, 'agent.sock');
  if (Buffer.byteLength(path) <= LONGEST_PATH) return path;
  throw new AgentError(
    'usage',
    `${path} is too long for a socket: at most ${LONGEST_PATH} bytes. Set a shorter SVC_AGENT_STATE_DIR.`,
  );
}
