import './table.css';
import type { CSSProperties } from 'react';

interface ClippedProps {
  text: string;
  /** The most it takes, px; twice as much in a wide window. */
  width: number;
}

/** Text of a cell that ends in an ellipsis where it is too long; in full on hover. */
export function Clipped({ text, width }: ClippedProps) {
  return (
    <span className="clipped" style={{ '--most': `${width}px` } as CSSProperties} title={text}>
      {text}
    </span>
  );
}
