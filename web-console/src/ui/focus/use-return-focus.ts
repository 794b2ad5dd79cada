import { useLayoutEffect } from 'react';

/** What last had the focus outside every dialog and panel; undefined once it lost the focus to nothing. */
let lastOutside: Element | undefined;
let openDialogs = 0;

const isInside = (target: EventTarget | null): boolean => target instanceof Element && target.closest('[role=dialog]') !== null;

/** Follows the focus from now on. Called once, before anything is drawn. */
export function watchFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!isInside(target) && target instanceof Element) lastOutside = target;
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget === null && !isInside(target)) lastOutside = undefined;
  });
}

/** Whatever took the focus meanwhile keeps it; where the place is gone, the page gets it. */
function returnFocus(): void {
  const hasFocus = document.activeElement !== null && document.activeElement !== document.body;
  if (openDialogs > 0 || hasFocus) return;
  const place = lastOutside?.isConnected ? lastOutside : document.getElementById('main');
  if (place instanceof HTMLElement) place.focus({ preventScroll: true });
}

/**
 * Gives the focus back to where it was before a dialog once the dialog is closed, also when it is unmounted, and once for dialogs that take
 * each other's place. Mantine's own does so only for a dialog that stays mounted.
 */
export function useReturnFocus(open: boolean): void {
  useLayoutEffect(() => {
    if (!open) return;
    openDialogs += 1;
    return () => {
      openDialogs -= 1;
      // Once the dialog is out of the document.
      setTimeout(returnFocus);
    };
  }, [open]);
}
