import { useSyncExternalStore } from 'react';

export interface CrosshairState {
  /** The time pointed at, milliseconds; undefined when nobody points. */
  at: number | undefined;
  pinned: boolean;
}

/** One time shared by all charts of a page. While pinned, pointing elsewhere does not move it. */
export function createCrosshair() {
  let state: CrosshairState = { at: undefined, pinned: false };
  const listeners = new Set<() => void>();
  const put = (next: CrosshairState): void => {
    state = next;
    for (const listener of listeners) listener();
  };
  return {
    read: (): CrosshairState => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    point(at: number | undefined): void {
      if (!state.pinned && at !== state.at) put({ at, pinned: false });
    },
    /** Moves it even when pinned; for the keyboard. */
    move(at: number): void {
      put({ at, pinned: state.pinned });
    },
    togglePin(): void {
      if (state.at !== undefined) put({ at: state.at, pinned: !state.pinned });
    },
    clear(): void {
      put({ at: undefined, pinned: false });
    },
  };
}
export type Crosshair = ReturnType<typeof createCrosshair>;

export const useCrosshair = (crosshair: Crosshair): CrosshairState => useSyncExternalStore(crosshair.subscribe, crosshair.read);
