import { useRouter, useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { createLeftPlaces, findPlace, focusedPlace } from '../ui/focus/left-places.ts';

/** A page found again draws its links when its data are there; later than this the reader is elsewhere. */
const WAIT_MS = 2_000;

const keyOf = (state: { __TSR_key?: string | undefined }): string => state.__TSR_key ?? '';

/** Remembers where the focus was on each page that is left; gives the place of the page that Back or forward found again. */
function useLeftPlace() {
  const { history } = useRouter();
  const found = useRef<ReturnType<typeof focusedPlace>>(undefined);
  useEffect(() => {
    const places = createLeftPlaces();
    let at = keyOf(history.location.state);
    return history.subscribe(({ location, action }) => {
      // The page that is left still stands: the router draws the next one after this.
      if (action.type !== 'REPLACE') places.leave(at, focusedPlace());
      at = keyOf(location.state);
      if (action.type !== 'REPLACE') found.current = action.type === 'PUSH' ? undefined : places.placeOf(at);
    });
  }, [history]);
  return found;
}

/** Watches for the link and gives it the focus, as long as `main` still has it. Returns what ends the watch. */
function focusWhenThere(place: NonNullable<ReturnType<typeof focusedPlace>>, main: HTMLElement | null): () => void {
  const give = (): void => {
    const link = findPlace(place);
    const isMoved = document.activeElement !== main && document.activeElement !== document.body;
    if (!isMoved) link?.focus({ preventScroll: true });
    if (link || isMoved) stop();
  };
  const watch = new MutationObserver(give);
  const stop = (): void => watch.disconnect();
  const timer = setTimeout(stop, WAIT_MS);
  watch.observe(document.body, { childList: true, subtree: true });
  give();
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/**
 * Moves focus to the page after a change of route, so that a screen reader starts there; after Back and forward to the link that had it when
 * the page was left, as soon as that is there again and as long as nobody moved the focus meanwhile.
 */
export function useFocusOnNavigation(main: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: (state) => state.location.pathname });
  // The page before stands until the next one is loaded, and may hold a link to the same address.
  const drawn = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const first = useRef(path);
  const left = useLeftPlace();
  useEffect(() => {
    if (first.current === path) return;
    first.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path, main]);
  useEffect(() => {
    return drawn !== undefined && left.current ? focusWhenThere(left.current, main.current) : undefined;
  }, [drawn, main, left]);
}
