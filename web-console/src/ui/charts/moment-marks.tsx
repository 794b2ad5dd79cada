import './moment-marks.css';
import { createContext, useContext } from 'react';
import type uPlot from 'uplot';
import type { TimeSpan } from './brush-span.ts';

/** Something that happened at a moment, such as a change. */
export interface MomentMark {
  id: string;
  /** Unix milliseconds. */
  at: number;
  /** "Change 548: checkout 4.18.0" */
  words: string;
}

const Marks = createContext<readonly MomentMark[]>([]);

/** What the charts inside of it mark, each on its own time. */
export const MomentMarks = Marks.Provider;

export const useMoments = (): readonly MomentMark[] => useContext(Marks);

interface LinesProps {
  span: TimeSpan;
  /** From the left edge of the positioned box that this stands in, px. */
  toX: (at: number) => number;
  top: number;
  height: number | string;
}

/** A line over the full height and a diamond for each; what they are is said by what names them beside the charts. */
export function MarkLines({ span, toX, top, height }: LinesProps) {
  const shown = useMoments().filter(({ at }) => at >= span.from && at <= span.to);
  if (shown.length === 0) return null;
  return (
    <div className="marklines" aria-hidden="true" style={{ top, height }}>
      {shown.map(({ id, at }) => (
        <i key={id} style={{ left: toX(at) }} />
      ))}
    </div>
  );
}

/** The same over a chart of uPlot, which has to be ready. */
export function PlotMarks({ plot, span }: { plot: uPlot; span: TimeSpan }) {
  const [left, top, width, height] = [plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height].map(
    (px) => px / devicePixelRatio,
  ) as [number, number, number, number];
  return (
    <MarkLines span={span} toX={(at) => left + ((at - span.from) / (span.to - span.from)) * width} top={top} height={height} />
  );
}
