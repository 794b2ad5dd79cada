import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from './agent-error.ts';
import { makeDirectory } from './make-directory.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** The start time of a process where the system tells it: a reused process id is not the process that wrote the lock. */
async function startedAt(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Makes the state directory (0700) this process' own; throws AgentError where another agent runs on it. Returns the release. */
export async function lockState(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'lock');
  try {
    await makeDirectory(directory);
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const handle = await open(path, 'wx', 0o600);
        await handle.writeFile(`${process.pid} ${await startedAt(process.pid)}`);
        await handle.close();
        return () => rm(path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const [pid, started] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
        const other = Number(pid);
        if (other > 0 && other !== process.pid && isAlive(other) && (await startedAt(other)) === started)
          throw new AgentError('conflict', `Another agent (process ${other}) already runs on ${directory}.`);
        await rm(path, { force: true });
      }
    }
  } catch (cause) {
    if (cause instanceof AgentError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new AgentError('internal', `The state directory ${directory} cannot be written (${code ?? message}).`, { cause });
  }
  throw new AgentError('conflict', `The lock of ${directory} cannot be taken.`);
}
