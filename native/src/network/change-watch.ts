import type { NetworkChange } from './network.ts';
import { hasWayOut, isSameWayOut, type WayOut } from './way-out.ts';

/** A change comes as a burst: link, addresses, routes, over a second or two. */
const QUIET_MS = 1000;
/** However long the burst: containers that come and go would else hold a change back. */
const LATEST_MS = 5000;

export interface ChangeWatchDeps {
  /** Must not reject. */
  look(): Promise<WayOut>;
  onChange(change: NetworkChange): void;
  quietMs?: number;
  latestMs?: number;
}

/** Makes changes of networks out of a system's announcements. */
export interface ChangeWatch {
  /** Something was announced. `endsWay` tells whether it ends the way out that was seen last. */
  note(endsWay?: (way: WayOut) => boolean): void;
  stop(): void;
}

export function createChangeWatch({ look, onChange, quietMs = QUIET_MS, latestMs = LATEST_MS }: ChangeWatchDeps): ChangeWatch {
  let way: WayOut | undefined;
  let isLeft = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let burstBeganMs: number | undefined;

  const settle = async (): Promise<void> => {
    if (stopped) return;
    const wasLeft = isLeft;
    isLeft = false;
    const before = way;
    const now = await look();
    if (stopped) return;
    way = now;
    if (!before) return;
    if (hasWayOut(now)) {
      if (wasLeft || !isSameWayOut(before, now)) onChange('joined');
    } else if (!wasLeft && hasWayOut(before)) onChange('left');
  };
  let turn = settle();

  return {
    note(endsWay) {
      if (stopped) return;
      if (!isLeft && way && endsWay?.(way)) {
        isLeft = true;
        onChange('left');
      }
      burstBeganMs ??= performance.now();
      clearTimeout(timer);
      const waitMs = Math.max(0, Math.min(quietMs, burstBeganMs + latestMs - performance.now()));
      timer = setTimeout(() => {
        burstBeganMs = undefined;
        turn = turn.then(settle);
      }, waitMs).unref();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
