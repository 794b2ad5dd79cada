import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CAUSES } from '@svc/contracts/verdict';
import type { Onset } from '../attribution/onset.ts';

/** After a longer pause nobody knows whether the cause went and came back: it begins anew. */
const LONGEST_PAUSE_MS = 15 * 60_000;

/** The present cause over restarts, so that "since 08:42" outlives the process. */
export interface OnsetStore {
  /** What an earlier run left a moment ago; undefined where there is none. */
  earlier: Onset | undefined;
  /** Takes the onset of each verdict, undefined where nothing could be judged. Never rejects. */
  keep(onset: Onset | undefined): Promise<void>;
}

type Kept = Onset & { seenMs: number };

function readKept(text: string, nowMs: number): Onset | undefined {
  const { cause, sinceMs, seenMs } = JSON.parse(text) as Partial<Kept>;
  const known = CAUSES.find((one) => one === cause);
  if (known === undefined || typeof sinceMs !== 'number' || typeof seenMs !== 'number') return undefined;
  // Set-back clocks included: what lies ahead is no past.
  const isRecent = seenMs <= nowMs && nowMs - seenMs <= LONGEST_PAUSE_MS && sinceMs <= seenMs;
  return isRecent ? { cause: known, sinceMs } : undefined;
}

/** `now` in Unix milliseconds. A file that is missing or damaged is as none. */
export async function openOnsetStore(directory: string, now: () => number): Promise<OnsetStore> {
  const path = join(directory, 'onset.json');
  const earlier = await readFile(path, 'utf8')
    .then((text) => readKept(text, now()))
    .catch(() => undefined);
  const write = async (onset: Onset | undefined): Promise<void> => {
    if (onset === undefined) return await rm(path, { force: true });
    await writeFile(`${path}.new`, JSON.stringify({ ...onset, seenMs: now() } satisfies Kept), { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  return {
    earlier,
    // A full disk only costs the time since when.
    keep: (onset) => write(onset).catch(() => undefined),
  };
}
