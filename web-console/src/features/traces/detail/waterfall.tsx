import './waterfall.css';
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Trace } from '../../../api-types.ts';
import type { HistoryRule } from '../../../ui/address/use-search-change.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { formatCount, plural } from '../../../ui/words/format.ts';
import type { TraceSearch } from './trace-search.ts';
import { formatNs } from './trace-words.ts';
import { WaterfallRow } from './waterfall-row.tsx';
import { axisTicks, rowWindow, type Shape, shapeOf, visibleRows, type WaterfallView } from './waterfall-rows.ts';

export const ROW_PX = 28;
/** How many rows stand without a scroll bar of their own. */
const MAX_TALL = 24;
const PAGE_ROWS = 20;
/** A panel that follows the arrow keys asks for a span once they rest. */
const REST_MS = 150;

interface WaterfallProps {
  trace: Trace;
  search: TraceSearch;
  onChange: (part: TraceSearch, rule?: HistoryRule) => void;
}

/** The rows on screen of a scrolled box, however many there are in all. */
function useRowWindow(count: number) {
  const height = Math.min(count, MAX_TALL) * ROW_PX;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const read = (): void => setTop(element.scrollTop);
    element.addEventListener('scroll', read, { passive: true });
    return () => element.removeEventListener('scroll', read);
  }, []);
  const reveal = (place: number): void => {
    const element = box.current;
    if (!element || place < 0) return;
    const at = place * ROW_PX;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + ROW_PX > element.scrollTop + height) element.scrollTop = at + ROW_PX - height;
  };
  return { box, reveal, height, range: rowWindow({ top, height, row: ROW_PX }, count) };
}

const toggledIn = (set: ReadonlySet<number>, index: number): Set<number> => {
  const next = new Set(set);
  if (!next.delete(index)) next.add(index);
  return next;
};

interface TreeState {
  trace: Trace;
  shape: Shape;
  rows: readonly number[];
  view: WaterfallView;
  folded: ReadonlySet<number>;
  active: number;
}

/** What a key does to the tree: a place to go to, or a span to fold or unfold; undefined for a key that is none of its. */
function readKey(key: string, { shape, rows, view, folded, active }: TreeState): { go: number } | { fold: number } | undefined {
  const place = rows.indexOf(active);
  const canFold = view === 'all' && (shape.end[active] as number) > active + 1;
  switch (key) {
    case 'ArrowDown':
      return { go: place + 1 };
    case 'ArrowUp':
      return { go: place - 1 };
    case 'PageDown':
      return { go: place + PAGE_ROWS };
    case 'PageUp':
      return { go: place - PAGE_ROWS };
    case 'Home':
      return { go: 0 };
    case 'End':
      return { go: rows.length - 1 };
    case 'ArrowLeft':
      return canFold && !folded.has(active) ? { fold: active } : { go: rows.indexOf(shape.parent[active] ?? -1) };
    case 'ArrowRight':
      return canFold && folded.has(active) ? { fold: active } : { go: place + 1 };
    default:
      return undefined;
  }
}

/** The active row, which an open panel follows once the keys rest. */
function useActive(trace: Trace, search: TraceSearch, onChange: WaterfallProps['onChange']) {
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      trace.spans.findIndex(({ id }) => id === search.span),
    ),
  );
  // Back and forward choose another span: the row goes there, and is not taken for one that the keys went to.
  const [followed, setFollowed] = useState(search.span);
  if (followed !== search.span) {
    setFollowed(search.span);
    const at = trace.spans.findIndex(({ id }) => id === search.span);
    if (at >= 0) setActive(at);
  }
  const isOpen = search.span !== undefined;
  const id = trace.spans[active]?.id;
  useEffect(() => {
    if (!isOpen || id === search.span) return;
    const timer = setTimeout(() => onChange({ span: id }, 'typing'), REST_MS);
    return () => clearTimeout(timer);
  }, [isOpen, id, search.span, onChange]);
  return [active, setActive] as const;
}

/** Service and operation over time: a tree to fold, to walk with the arrow keys and to open spans of. */
export function Waterfall({ trace, search, onChange }: WaterfallProps) {
  const { spans } = trace;
  const view: WaterfallView = search.view ?? 'all';
  const shape = useMemo(() => shapeOf(spans), [spans]);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => visibleRows(spans, shape, { view, folded }), [spans, shape, view, folded]);
  const [active, setActive] = useActive(trace, search, onChange);
  const { box, reveal, height, range } = useRowWindow(rows.length);
  const fold = useCallback((index: number) => setFolded((before) => toggledIn(before, index)), []);
  const open = useCallback(
    (index: number): void => {
      setActive(index);
      onChange({ span: spans[index]?.id });
    },
    [spans, onChange, setActive],
  );
  // A link to a span far down opens there.
  const shownFirst = useRef(false);
  useLayoutEffect(() => {
    if (!shownFirst.current && search.span) reveal(rows.indexOf(active));
    shownFirst.current = true;
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const what = readKey(event.key, { trace, shape, rows, view, folded, active });
    if (what && 'fold' in what) fold(what.fold);
    else if (what) {
      const place = Math.min(Math.max(what.go, 0), rows.length - 1);
      setActive(rows[place] ?? active);
      reveal(place);
    } else if (event.key === 'Enter' || event.key === ' ') open(active);
    else if (event.key === 'Escape' && search.span) onChange({ span: undefined });
    else return;
    event.preventDefault();
  };
  const ticks = useMemo(() => axisTicks(trace.duration_ns), [trace.duration_ns]);
  const common = { trace, shape, ticks, onOpen: open, onFold: fold };
  const foldOf = (index: number): 'none' | 'open' | 'folded' => {
    if (view !== 'all' || shape.end[index] === index + 1) return 'none';
    return folded.has(index) ? 'folded' : 'open';
  };
  return (
    <section className={rows.length > MAX_TALL ? 'card wf tall' : 'card wf'} aria-label="Waterfall">
      <Head trace={trace} view={view} onChange={onChange} folded={folded} onFold={setFolded} />
      <Axis ticks={ticks} total={trace.duration_ns} />
      <div
        ref={box}
        className="wf-rows"
        role="tree"
        tabIndex={0}
        aria-label={`${plural(rows.length, 'span')}. Arrow keys walk, Enter opens, left and right fold.`}
        aria-activedescendant={rows.slice(...range).includes(active) ? `wf-${active}` : undefined}
        style={{ height }}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: rows.length * ROW_PX }}>
          {rows.slice(...range).map((index, offset) => (
            <WaterfallRow
              key={index}
              {...common}
              index={index}
              top={(range[0] + offset) * ROW_PX}
              isActive={index === active}
              isOpen={spans[index]?.id === search.span}
              fold={foldOf(index)}
            />
          ))}
        </div>
      </div>
      {rows.length === 0 ? <p className="mute s wf-none">No match in this trace.</p> : null}
    </section>
  );
}

function Axis({ ticks, total }: { ticks: readonly number[]; total: number }) {
  return (
    <div className="wf-axis" aria-hidden="true">
      <span>Service and operation</span>
      <span className="wf-time wf-marks">
        {ticks.map((at) => (
          <i key={at} style={{ left: `${(at / total) * 100}%` }}>
            {at === 0 ? '0' : formatNs(at)}
          </i>
        ))}
      </span>
    </div>
  );
}

interface HeadProps {
  trace: Trace;
  view: WaterfallView;
  folded: ReadonlySet<number>;
  onChange: (part: TraceSearch) => void;
  onFold: (folded: ReadonlySet<number>) => void;
}

function Head({ trace, view, folded, onChange, onFold }: HeadProps) {
  const chip = (name: WaterfallView, words: string, count?: number) => (
    <button
      type="button"
      className={view === name ? 'chip on' : 'chip'}
      aria-pressed={view === name}
      onClick={() => onChange({ view: name === 'all' ? undefined : name })}
    >
      {words} {count === undefined ? null : <b className="num">{formatCount(count)}</b>}
    </button>
  );
  return (
    <header>
      <h2>Waterfall</h2>
      <span className="row wf-views">
        {chip('all', 'All spans')}
        {chip('critical', 'Critical path only')}
        {trace.errors > 0 ? chip('errors', 'Errors', trace.errors) : null}
      </span>
      {folded.size > 0 ? (
        <Button look="plain" onClick={() => onFold(new Set())}>
          Expand {formatCount(folded.size)}
        </Button>
      ) : null}
      <span className="grow" />
      <span className="s soft row wf-legend" aria-hidden="true">
        <i className="wf-key-path" />
        critical path
        <i className="wf-key-hatch wf-hatch" />
        between services
      </span>
    </header>
  );
}
