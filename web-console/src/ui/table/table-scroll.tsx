import './table.css';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface TableScrollProps {
  /** Names what is shown: search, filter, sort and page. */
  view: string;
  children: ReactNode;
}

/** Holds a table longer than its place. Another view starts at its first row; new values of the same view leave it where it is. */
export function TableScroll({ view, children }: TableScrollProps) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef(view);
  // Before the new rows are painted, so that the reader never sees the middle of a list that is new.
  useLayoutEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    if (box.current) box.current.scrollTop = 0;
  }, [view]);
  return (
    <div className="scroll" ref={box}>
      {children}
    </div>
  );
}
