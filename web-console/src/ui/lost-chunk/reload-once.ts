const KEY = 'svc.reloaded';
/** A chunk that is lost sooner than this after a reload is not lost to the next upgrade. */
const ONCE_IN_MS = 10 * 60_000;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/**
 * Whether this window may load itself anew for a lost chunk; a yes is remembered. No where it did so a moment ago, where the clock was
 * set back since, or where the browser refuses to remember: without a memory it could go on for ever.
 */
export function mayReload(store: () => Store, now: number): boolean {
  try {
    const before = store().getItem(KEY);
    if (before !== null && !(now - Number(before) >= ONCE_IN_MS)) return false;
    store().setItem(KEY, String(now));
    return store().getItem(KEY) === String(now);
  } catch {
    return false;
  }
}

export interface Recovery {
  /** Whether the server has the console's page to give. */
  probe: () => Promise<boolean>;
  mayReload: () => boolean;
  reload: () => void;
  wait: () => Promise<void>;
  /** The server does not answer yet: a reload now would lose the page on screen to the browser's own error. */
  onSilence: () => void;
  /** Reloaded already, and lost still: the reader decides. */
  onLost: () => void;
  signal: AbortSignal;
}

/** Loads the console anew once the server answers, and only once; ends with `reload`, `onLost` or the signal. */
export async function recoverChunk(recovery: Recovery): Promise<void> {
  while (!recovery.signal.aborted) {
    const answers = await recovery.probe().catch(() => false);
    if (recovery.signal.aborted) return;
    if (answers) return recovery.mayReload() ? recovery.reload() : recovery.onLost();
    recovery.onSilence();
    await recovery.wait();
  }
}
