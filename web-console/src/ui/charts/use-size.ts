import { type RefObject, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';

/** The width of an element in CSS pixels, kept up to date; 0 before the first layout. */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

const subscribeTheme = (listener: () => void): (() => void) => {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
};

/** The theme drawn now; canvases read their colours anew when it changes. */
export const useDrawnTheme = (): string =>
  useSyncExternalStore(subscribeTheme, () => document.documentElement.dataset.theme ?? 'light');

/** The value of a colour token on the page. */
export const readToken = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
