import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CAUSES } from '@svc/contracts/verdict';
import { isStillPresent, type Onset } from '../attribution/onset.ts';

/** The present fault over restarts, so that "since 08:42" outlives the process. */
export interface OnsetStore {
  /** What an earlier run left a moment ago; undefined where there is none. */
  earlier: Onset | undefined;
  /** Takes the onset of each verdict. Never rejects. */
  keep(onset: Onset): Promise<void>;
}

type Kept = Onset & { seenMs: number };

function readKept(text: string, nowMs: number): Onset | undefined {
  const { cause, fault, sinceMs, seenMs } = JSON.parse(text) as Partial<Kept>;
  const known = CAUSES.find((one) => one === cause);
  if (known === undefined || typeof sinceMs !== 'number' || typeof seenMs !== 'number') return undefined;
  if (!isStillPresent(seenMs, nowMs) || sinceMs > seenMs) return undefined;
  return { cause: known, sinceMs, ...(typeof fault === 'string' ? { fault } : {}) };
}

/** `now` in Unix milliseconds. A file that is missing or damaged is as none. */
export async function openOnsetStore(directory: string, now: () => number): Promise<OnsetStore> {
  const path = join(directory, 'onset.json');
  const earlier = await readFile(path, 'utf8')
    .then((text) => readKept(text, now()))
    .catch(() => undefined);
  const write = async (onset: Onset): Promise<void> => {
    await writeFile(`${path}.new`, JSON.stringify({ ...onset, seenMs: now() } satisfies Kept), { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  return {
    earlier,
    // A full disk only costs the time since when.
    keep: (onset) => write(onset).catch(() => undefined),
  };
}
