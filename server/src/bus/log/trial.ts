import { join } from 'node:path';
import type { TopicLog } from './topic-log.ts';

/** No file of records, and no group's. */
const NAME = 'trial';
/** As much as a large commit. */
const BYTES = 1024 * 1024;

async function writeAndRemove({ folder, settings }: TopicLog): Promise<void> {
  const path = join(folder, NAME);
  const file = await settings.recordFiles.open(path, 'truncate');
  try {
    await file.write([Buffer.alloc(BYTES)], 0);
    await settings.files.syncFolder(folder);
  } finally {
    await file.close();
    await settings.files.remove(path);
  }
}

/**
 * Finds out whether a disk that refused a write takes one again, at most once within a deadline. Nobody may be sent to a server that says it
 * is not ready, and without a write of theirs it would say so for ever. Not to be waited for: the disk may hang.
 */
export async function tryDisk(log: TopicLog): Promise<void> {
  const { fault, settings } = log;
  const now = performance.now();
  if (fault === undefined || log.writing || now - log.triedMs < settings.deadlineMs) return;
  log.triedMs = now;
  try {
    await writeAndRemove(log);
  } catch {
    return;
  }
  if (log.fault === fault) log.fault = undefined;
}
