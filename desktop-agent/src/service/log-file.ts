import { appendFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';

const MAX_BYTES = 1024 * 1024;

/** Takes one message; the disk's refusal is nobody's to be told. */
export type WriteLog = (message: string) => void;

export interface LogFileDeps {
  directory: string;
  now(): number;
  maxBytes?: number;
}

/**
 * The log of a service whose output nobody reads: `agent.log` in its state directory (0600), each message with its time. A file
 * over its bound becomes `agent.log.1`, and the one before is gone. Rejects where the directory cannot be made.
 */
export async function openLogFile({ directory, now, maxBytes = MAX_BYTES }: LogFileDeps): Promise<WriteLog> {
  await makeDirectory(directory);
  const path = join(directory, 'agent.log');
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const rotate = (): void => {
    try {
      renameSync(path, `${path}.1`);
    } catch {
      // Windows moves no file that somebody reads: the bound holds all the same.
      truncateSync(path);
    }
    bytes = 0;
  };
  return (message) => {
    const line = `${new Date(now()).toISOString()} ${message}\n`;
    try {
      if (bytes > 0 && bytes + Buffer.byteLength(line) > maxBytes) rotate();
      appendFileSync(path, line, { mode: 0o600 });
      bytes += Buffer.byteLength(line);
    } catch {
      // Nowhere is left to tell it.
    }
  };
}
