import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface ScrollXProps {
  /** What scrolls, for those who come to it by keyboard. */
  label: string;
  children: ReactNode;
}

/** Holds what may be wider than its place; while it is, the arrow keys move it (a stop for the keyboard, with a name). */
export function ScrollX({ label, children }: ScrollXProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  // With each render, before it is seen: what is held may be another element than the last time.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = (): void => setCut(element.scrollWidth > element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  });
  return (
    <div className="scrollx" ref={box} {...(isCut ? { tabIndex: 0, role: 'group', 'aria-label': label } : {})}>
      {children}
    </div>
  );
}
