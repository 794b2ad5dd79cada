import { messageOf } from '../agent-error.ts';
import type { KeptFile } from '../kept-file.ts';
import type { ProgramCopy } from './program-copy.ts';

/** So long a new version may take until its service answers its face. */
export const HEALTHY_WITHIN_MS = 5 * 60_000;
/** So often it may fail at that before the earlier version comes back. */
const TRIES = 2;

export interface TrialDeps {
  /** What is on trial and what was refused; it lies outside of the program, so that either version reads it. */
  file: KeptFile;
  /** Undefined where this system's program cannot be copied: then nothing is put back. */
  copy: ProgramCopy | undefined;
  /** The version that runs. */
  version: string;
  /** Ends this program and starts what lies in its place then. */
  relaunch(): void;
  log(message: string): void;
}

/** A version as one file: repaired under the same number it is another one. */
export interface Release {
  version: string;
  /** Of the file, as it was signed. */
  sha512: string;
}

/** An update is on trial until it reported healthy; one that twice does not is replaced by the version before it. */
export interface Trial {
  /**
   * Called first of all at a start. True where this program is about to end, because the earlier version was put back: nothing else
   * may be begun.
   */
  begin(): Promise<boolean>;
  /** The program works: what was kept of the earlier one is dropped. */
  reportHealthy(): Promise<void>;
  /** Before `to` is installed: keeps this version. Rejects where that fails; then `to` may not be installed. */
  prepare(to: Release): Promise<void>;
  /** This device took this very file back: it is not installed again. */
  isRefused(release: Release): Promise<boolean>;
  stop(): void;
}

interface Kept {
  from?: string;
  to?: string;
  /** SHA-512 of its file; absent in records of earlier versions. */
  toFile?: string;
  /** Starts of `to` that were not followed by a report. */
  failed?: number;
  refused?: string;
  refusedFile?: string;
}

const ofRefusal = ({ refused, refusedFile }: Kept): Kept => ({
  ...(refused ? { refused } : {}),
  ...(refusedFile ? { refusedFile } : {}),
});

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A file that is missing or damaged puts nothing on trial. */
async function readKept(file: KeptFile): Promise<Kept> {
  const value = ((await file.read()) ?? {}) as Partial<Record<string, unknown>>;
  const [from, to, refused] = [asText(value.from), asText(value.to), asText(value.refused)];
  const [toFile, refusedFile] = [asText(value.toFile), asText(value.refusedFile)];
  const failed = typeof value.failed === 'number' && Number.isSafeInteger(value.failed) ? value.failed : 0;
  return {
    ...(from && to ? { from, to, failed, ...(toFile ? { toFile } : {}) } : {}),
    ...(refused ? { refused, ...(refusedFile ? { refusedFile } : {}) } : {}),
  };
}

export function createTrial({ file, copy, version, relaunch, log }: TrialDeps): Trial {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);

  async function putBack({ from, to, toFile }: Kept): Promise<boolean> {
    // Written first: a version that cannot be put back is tried no further either.
    await file.write({ refused: to, refusedFile: toFile });
    try {
      await copy?.restore();
    } catch (error) {
      log(`Version ${to} did not report healthy, and ${from} could not be put back: ${messageOf(error)}`);
      return false;
    }
    log(`Version ${to} did not report healthy ${TRIES} times: ${from} is back.`);
    relaunch();
    return true;
  }

  return {
    async begin() {
      await copy
        ?.recover()
        .catch((error) => log(`What an earlier start left beside the program stays there: ${messageOf(error)}`));
      const kept = await readKept(file);
      if (!copy || kept.to !== version) return false;
      const failed = kept.failed ?? 0;
      if (failed >= TRIES) return await putBack(kept);
      // Counts as failed until it reports: also where it ends before anything could be counted.
      await file.write({ ...kept, failed: failed + 1 });
      timer = setTimeout(() => {
        log(`Version ${version} did not report healthy within ${HEALTHY_WITHIN_MS / 60_000} minutes.`);
        // The next start tries once more, or puts the earlier version back.
        relaunch();
      }, HEALTHY_WITHIN_MS);
      return false;
    },
    async reportHealthy() {
      stop();
      const kept = await readKept(file);
      if (kept.to !== version) return;
      await file.write(kept.refused === undefined ? undefined : ofRefusal(kept));
      await copy?.drop();
    },
    async prepare(to) {
      if (!copy) return;
      const refusal = ofRefusal(await readKept(file));
      await copy.keep();
      await file.write({ from: version, to: to.version, toFile: to.sha512, failed: 0, ...refusal });
    },
    async isRefused(one) {
      const { refused, refusedFile } = await readKept(file);
      // A record of an earlier version names no file: then a repaired one cannot be told apart, and gets its own trial.
      return refused === one.version && refusedFile === one.sha512;
    },
    stop,
  };
}
