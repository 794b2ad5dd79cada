import './time-brush.css';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import type { HistoryRule } from '../address/use-search-change.ts';
import { formatMoment } from '../words/format.ts';
import { type BrushField, clampSpan, type Drag, dragged, type Grip, spanByKey, type TimeSpan } from './brush-span.ts';
import { MarkLines } from './moment-marks.tsx';
import { useWidth } from './use-size.ts';

/** Over the bars, above the times. */
const MARKS = { top: 1, height: 37 } as const;

interface TimeBrushProps extends BrushField {
  shown: TimeSpan;
  /** `undefined`: the whole strip again. `typing` while arrow keys move an edge. */
  onBrush: (span: TimeSpan | undefined, rule?: HistoryRule) => void;
  /** Told of the span while it is dragged, and of its end. */
  onDragging?: (span: TimeSpan | undefined) => void;
  /** What lies under it, drawn for a width; `current` is the span while it is dragged. */
  children: (drawn: { width: number; current: TimeSpan; toX: (at: number) => number }) => ReactNode;
}

/** A stretch of time chosen on a strip: by dragging, by its edges, by arrow keys; Escape gives the whole back. */
export function TimeBrush({ strip, stepMs, shown, onBrush, onDragging, children }: TimeBrushProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [drag, setDrag] = useState<Drag>();
  const moveDrag = (next: Drag | undefined): void => {
    setDrag(next);
    onDragging?.(next?.span);
  };
  const field = { strip, stepMs };
  const current = drag?.span ?? shown;
  const whole = current.from <= strip.from && current.to >= strip.to;
  const toX = (at: number): number => ((at - strip.from) / (strip.to - strip.from)) * width;
  const onKey = (grip: Grip, event: KeyboardEvent): void => {
    const moved = spanByKey({ grip, key: event.key }, shown, field);
    if (event.key === 'Escape') onBrush(undefined);
    else if (moved) onBrush(moved, whole ? 'step' : 'typing');
    else return;
    event.preventDefault();
  };
  return (
    <div className="brush" ref={box}>
      {width > 0 ? (
        <>
          {children({ width, current, toX })}
          <MarkLines span={strip} toX={toX} {...MARKS} />
          <BrushSurface field={field} shown={shown} drag={drag} width={width} onDrag={moveDrag} onBrush={onBrush} />
          <BrushFrame left={toX(current.from)} right={toX(current.to)} span={current} strip={strip} whole={whole} onKey={onKey} />
        </>
      ) : null}
    </div>
  );
}

interface SurfaceProps {
  field: BrushField;
  shown: TimeSpan;
  drag: Drag | undefined;
  width: number;
  onDrag: (drag: Drag | undefined) => void;
  onBrush: (span: TimeSpan | undefined) => void;
}

/** Takes the pointer over the bars: near an edge it pulls the edge, inside the brush it moves it, elsewhere it draws a new one. */
function BrushSurface({ field, shown, drag, width, onDrag, onBrush }: SurfaceProps) {
  const surface = useRef<HTMLDivElement>(null);
  const { strip } = field;
  const timeAt = (event: PointerEvent): number => {
    const left = surface.current?.getBoundingClientRect().left ?? 0;
    return strip.from + ((event.clientX - left) / width) * (strip.to - strip.from);
  };
  const gripAt = (at: number): Grip => {
    const near = (8 / width) * (strip.to - strip.from);
    const whole = shown.from <= strip.from && shown.to >= strip.to;
    if (Math.abs(at - shown.from) < near) return 'from';
    if (Math.abs(at - shown.to) < near) return 'to';
    return !whole && at > shown.from && at < shown.to ? 'move' : 'new';
  };
  return (
    <div
      ref={surface}
      className="brushsurface"
      onPointerDown={(event) => {
        const at = timeAt(event);
        event.currentTarget.setPointerCapture(event.pointerId);
        onDrag({ grip: gripAt(at), startAt: at, start: shown, span: shown });
      }}
      onPointerMove={(event) => {
        if (drag) onDrag({ ...drag, span: dragged(drag, timeAt(event), field) });
      }}
      onPointerUp={(event) => {
        if (!drag) return;
        const moved = Math.abs(timeAt(event) - drag.startAt) > (3 / width) * (strip.to - strip.from);
        if (moved) onBrush(clampSpan(drag.span, field));
        onDrag(undefined);
      }}
      onPointerCancel={() => onDrag(undefined)}
    />
  );
}

interface FrameProps {
  left: number;
  right: number;
  span: TimeSpan;
  strip: TimeSpan;
  whole: boolean;
  onKey: (grip: Grip, event: KeyboardEvent) => void;
}

function BrushFrame({ left, right, span, strip, whole, onKey }: FrameProps) {
  const handle = (grip: 'from' | 'to', at: number, x: number) => (
    <div
      className="handle"
      role="slider"
      tabIndex={0}
      aria-label={grip === 'from' ? 'Shown from' : 'Shown to'}
      aria-valuemin={strip.from}
      aria-valuemax={strip.to}
      aria-valuenow={at}
      aria-valuetext={formatMoment(at, Date.now())}
      style={{ left: x - 4 }}
      onKeyDown={(event) => onKey(grip, event)}
    />
  );
  return (
    <>
      {whole ? null : <div className="frame" style={{ left, width: Math.max(2, right - left) }} />}
      {handle('from', span.from, left)}
      {handle('to', span.to, right)}
    </>
  );
}
