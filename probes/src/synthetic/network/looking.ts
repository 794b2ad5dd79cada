import { metered, takeTurn } from '../cpu.ts';
import type { Run } from '../run.ts';

/** Looks never for most of the time, however hard the expression is. */
const IDLE_SHARE = 20;

export interface LookingOptions {
  /** Whether what came until now is as expected. */
  readonly isThere: () => boolean;
  readonly onFound: () => void;
  readonly onFailed: (error: unknown) => void;
  /** From what came last to the look, where it is not to be at once. */
  readonly quietMs: number;
}

/** Looks at what comes when it is this run's turn, one look at a time. */
export interface Looking {
  /** Something came; `isMuch`: enough to look at once. */
  readonly note: (isMuch: boolean) => void;
  readonly stop: () => void;
}

export function createLooking(run: Run, { isThere, onFound, onFailed, quietMs }: LookingOptions): Looking {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = quietMs;
  let isLooking = false;
  let isWanted = false;
  let isOver = false;

  async function look(): Promise<void> {
    timer = undefined;
    isLooking = true;
    isWanted = false;
    try {
      await takeTurn(run);
      if (isOver) return;
      const sinceMs = performance.now();
      const found = metered(run, isThere);
      pauseMs = Math.max(quietMs, IDLE_SHARE * (performance.now() - sinceMs));
      if (found) onFound();
    } catch (error) {
      onFailed(error);
    } finally {
      isLooking = false;
      if (isWanted) plan();
    }
  }
  const plan = (): void => {
    if (!isOver) timer ??= setTimeout(() => void look(), pauseMs);
  };

  return {
    note(isMuch) {
      if (isLooking) isWanted = true;
      else if (isMuch && timer === undefined && pauseMs <= quietMs && !isOver) void look();
      else plan();
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
