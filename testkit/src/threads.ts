import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

const TASKS = '/proc/self/task';

function nameOf(thread: string): string {
  try {
    return readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim();
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

/** "nice" of each thread of this process that has the name now (15 letters at most). Linux only. */
export const nicesOf = (name: string): number[] =>
  readdirSync(TASKS)
    .filter((thread) => nameOf(thread) === name)
    .map((thread) => getPriority(Number(thread)));
