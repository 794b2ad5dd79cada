/** At most four times a second. */
const GAP_MS = 250;

/** Gathers changes: `send` is called for the first at once, for those after it when the gap is over, and not while nobody watches. */
export function createWatching(send: () => void, isWatched: () => boolean): { changed(): void; close(): void } {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  let closed = false;
  const turn = (): void => {
    timer = undefined;
    if (!again) return;
    again = false;
    if (closed || !isWatched()) return;
    timer = setTimeout(turn, GAP_MS);
    send();
  };
  return {
    changed() {
      if (closed || !isWatched()) return;
      again = true;
      // A moment later, so that what changes in one go is told in one piece.
      timer ??= setTimeout(turn, 0);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
