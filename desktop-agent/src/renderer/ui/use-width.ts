import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * The width of an element in CSS pixels, followed as it changes. Never of an SVG: older Chromium reports what is drawn in it, and a
 * drawing made as wide as that shrinks to nothing.
 */
export function useWidth<E extends HTMLElement>(first: number): [RefObject<E | null>, number] {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
