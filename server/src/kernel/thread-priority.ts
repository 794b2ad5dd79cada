import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** "nice" 10: a tenth of the share of who waits for the same core. */
const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL;
/** To Linux each thread is a process of its own; elsewhere all of this one would stand behind. */
const KNOWS_THREADS = process.platform === 'linux';
/** Of the system call: whoever asks. */
const THIS_THREAD = 0;

/** Whether it was done: a sandbox may forbid it, and all works without. */
function putBehind(thread: number): boolean {
  try {
    setPriority(thread, BEHIND);
    return true;
  } catch {
    return false;
  }
}

/** Lets others go first where a core is wanted: of this thread, for its life. Linux only. */
export const standBehind = (): boolean => KNOWS_THREADS && putBehind(THIS_THREAD);

function threadsNamed(name: string): number[] {
  try {
    return readdirSync(TASKS)
      .filter((thread) => readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim() === name)
      .map(Number);
  } catch {
    // One has ended meanwhile, or there is no such folder.
    return [];
  }
}

/**
 * The same for this process's threads of a name, of 15 letters at most, that run now; how many there were, also where it was forbidden. Linux
 * only.
 */
export function putThreadsBehind(name: string): number {
  const threads = KNOWS_THREADS ? threadsNamed(name) : [];
  for (const thread of threads) putBehind(thread);
  return threads.length;
}
