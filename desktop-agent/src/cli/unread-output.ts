import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { printable } from '@svc/contracts/words/printable';
import { systemClock } from '../clock.ts';
import { loadStateDir } from '../config.ts';
import { openLogFile } from '../service/log-file.ts';
import type { CommandIo } from './command.ts';

/** Whether standard output leads nowhere at all: closed, or the null device. */
export function isOutputLost(descriptor = 1): boolean {
  try {
    const output = fstatSync(descriptor);
    return process.platform !== 'win32' && output.isCharacterDevice() && output.rdev === statSync(devNull).rdev;
  } catch {
    return true;
  }
}

/** The same program with a log file in its state directory for all that it says. */
export async function withLogFile(io: CommandIo): Promise<CommandIo> {
  const write = await openLogFile({ directory: loadStateDir(), now: systemClock.now });
  // Whoever reads it does so on a terminal.
  const print = (text: string): void => write(printable(text));
  return { ...io, out: print, tell: print };
}
