import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunnerIdentityAnswer } from '@svc/contracts/tests/runner-protocol';
import { z } from 'zod';
import { CanaryFault } from '../canary-fault.ts';

/** Who this runner is, as the server issued it, with the key, which never leaves the machine. */
export const Credentials = RunnerIdentityAnswer.extend({
  server: z.string(),
  pin: z.string().nullable(),
  /** PKCS#8 PEM, P-256. */
  key_pem: z.string(),
});
export type Credentials = z.infer<typeof Credentials>;

const RENEW_BEFORE_MS = 8 * 3_600_000;
/** The leaf of a day is renewed when two thirds of its life have passed. */
export const needsRenewal = ({ not_after }: Credentials, nowMs: number): boolean =>
  Date.parse(not_after) - nowMs < RENEW_BEFORE_MS;

/** Makes the folder of the state this user's alone. CanaryFault `state` where it cannot be written. */
export async function openStateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new CanaryFault(
      'state',
      `The state folder ${folder} cannot be used (${code ?? message}). SVC_CANARY_STATE_DIR names it.`,
      { cause },
    );
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const startOf = async (pid: number): Promise<string> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};

/** One runner a state folder; gives the release. A lock of a process that is dead, or whose number is another's now, is taken over. */
export async function lockState(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      const handle = await open(path, 'wx', 0o600);
      await handle.writeFile(`${process.pid} ${await startOf(process.pid)}`);
      await handle.close();
      return () => rm(path, { force: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        throw new CanaryFault('state', `The state folder ${folder} cannot be written (${code}).`, { cause: error });
    }
    const [pid, started] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
    const other = Number(pid);
    if (other > 0 && other !== process.pid && isAlive(other) && (await startOf(other)) === started)
      throw new CanaryFault('state', `Another runner (process ${other}) runs on ${folder}.`);
    await rm(path, { force: true });
  }
  throw new CanaryFault('state', `The lock of ${folder} cannot be taken.`);
}

/** Undefined where nothing was enrolled yet; CanaryFault `state` for a file that cannot be read. */
export async function loadCredentials(folder: string): Promise<Credentials | undefined> {
  const path = join(folder, 'identity.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CanaryFault('state', `${path} cannot be read.`, { cause });
  }
  try {
    return Credentials.parse(JSON.parse(text));
  } catch (cause) {
    throw new CanaryFault('state', `${path} is damaged: remove it and enrol again.`, { cause });
  }
}

/** Replaces the file as a whole: after a crash the old or the new one is there. Mode 0600. */
export async function saveCredentials(folder: string, credentials: Credentials): Promise<void> {
  const path = join(folder, 'identity.json');
  const handle = await open(`${path}.new`, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(credentials, null, 2));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.new`, path);
}
