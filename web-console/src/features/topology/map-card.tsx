import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Topology } from '../../api-types.ts';
import type { HistoryRule } from '../../ui/address/use-search-change.ts';
import { useWidth } from '../../ui/charts/use-size.ts';
import { Button, IconButton, Segments } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { EmptyState } from '../../ui/placeholders/empty-state.tsx';
import { TableSearch } from '../../ui/table/table-search.tsx';
import { formatPercent } from '../../ui/words/format.ts';
import type { MapFilter } from './map-filter.ts';
import { MapGraph } from './map-graph.tsx';
import { layOutMap } from './map-layout.ts';
import { fitZoom, scrollAfterZoom, stepZoom } from './map-zoom.ts';

export const NO_FILTER = { find: undefined, only: undefined } as const satisfies MapFilter;

interface CardProps {
  /** As filtered. */
  map: Topology;
  filter: MapFilter;
  onFilter: (filter: MapFilter, rule?: HistoryRule) => void;
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** The picture with what narrows it and what makes it larger or smaller. */
export function MapCard({ map, filter, onFilter, chosen, onChoose }: CardProps) {
  const layout = useMemo(() => layOutMap(map.nodes, map.edges), [map.nodes, map.edges]);
  const [box, room] = useWidth<HTMLDivElement>();
  const { zoom, step, setZoom } = useMapZoom(box);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+' || event.key === '=') step(1);
    else if (event.key === '-') step(-1);
    else if (event.key === '0') setZoom(1);
    else return;
    event.preventDefault();
  };
  return (
    <section className="card" aria-labelledby="map-h">
      <header>
        <h2 id="map-h">Service map</h2>
        <span className="s mute">callers left, whom they call right</span>
        <span className="grow" />
        <Legend />
      </header>
      <div className="maptools">
        <FilterTools filter={filter} onFilter={onFilter} />
        <span className="grow" />
        <ZoomTools zoom={zoom} onStep={step} onOwn={() => setZoom(1)} onFit={() => setZoom(fitZoom(layout.width, room))} />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the nodes within, which the buttons above offer too. */}
      <div ref={box} onKeyDown={onKeyDown}>
        {map.nodes.length === 0 ? (
          <NothingFound filter={filter} onFilter={onFilter} />
        ) : (
          <ScrollX label="Service map">
            <MapGraph map={map} layout={layout} zoom={zoom} chosen={chosen} onChoose={onChoose} />
          </ScrollX>
        )}
      </div>
    </section>
  );
}

/** The size of the picture; with Ctrl or Cmd the wheel changes it around the pointer, as in other maps. */
function useMapZoom(box: RefObject<HTMLDivElement | null>) {
  const [zoom, setZoom] = useState(1);
  /** What the next drawing must be scrolled to. */
  const scroll = useRef<number>(undefined);
  const step = (direction: 1 | -1): void => setZoom((now) => stepZoom(now, direction));
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    // React's own listener is passive: it could not keep the browser from zooming the whole page.
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const held = element.querySelector('.scrollx');
      if (!held) return;
      const at = event.clientX - held.getBoundingClientRect().left;
      const after = stepZoom(zoom, event.deltaY < 0 ? 1 : -1);
      scroll.current = scrollAfterZoom({ scroll: held.scrollLeft, at, before: zoom, after });
      setZoom(after);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, zoom]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another size moves what is seen.
  useLayoutEffect(() => {
    const held = box.current?.querySelector('.scrollx');
    if (held && scroll.current !== undefined) held.scrollLeft = scroll.current;
    scroll.current = undefined;
  }, [box, zoom]);
  return { zoom, step, setZoom };
}

export function FilterTools({ filter, onFilter }: Pick<CardProps, 'filter' | 'onFilter'>) {
  return (
    <>
      <TableSearch
        value={filter.find ?? ''}
        label="Find on the map"
        placeholder="Service, database, host"
        onChange={(text) => onFilter({ find: text || undefined }, 'typing')}
      />
      <Segments
        label="Connections"
        options={[
          { value: 'all', label: 'All' },
          { value: 'failing', label: 'Failing' },
        ]}
        value={filter.only ?? 'all'}
        onChange={(next) => onFilter({ only: next === 'failing' ? next : undefined })}
      />
    </>
  );
}

interface ZoomProps {
  zoom: number;
  onStep: (direction: 1 | -1) => void;
  /** To the text's own size. */
  onOwn: () => void;
  onFit: () => void;
}

export function ZoomTools({ zoom, onStep, onOwn, onFit }: ZoomProps) {
  const next = (direction: 1 | -1) => ({
    'aria-disabled': stepZoom(zoom, direction) === zoom ? true : undefined,
    onClick: () => onStep(direction),
  });
  return (
    <fieldset className="mapzoom">
      <legend className="sr">Size of the map</legend>
      <IconButton icon="dash" label="Zoom out" {...next(-1)} />
      <button type="button" className="btn plain num" title="Actual size" onClick={onOwn}>
        <span aria-live="polite">{formatPercent(zoom)}</span>
      </button>
      <IconButton icon="plus" label="Zoom in" {...next(1)} />
      <Button look="quiet" onClick={onFit}>
        Fit width
      </Button>
    </fieldset>
  );
}

function NothingFound({ filter, onFilter }: Pick<CardProps, 'filter' | 'onFilter'>) {
  const what = filter.only === 'failing' ? 'Nothing failing' : 'Nothing';
  return (
    <EmptyState icon="filter" title={filter.find ? `${what} on the map is named “${filter.find}”` : 'No connection fails'}>
      <p>
        <Button onClick={() => onFilter(NO_FILTER)}>Show the whole map</Button>
      </p>
    </EmptyState>
  );
}

function Legend() {
  return (
    <ul className="maplegend s soft">
      {(
        [
          ['call', ''],
          ['message', 'message'],
          ['flow only', 'flow'],
          ['failing', 'bad'],
        ] as const
      ).map(([word, look]) => (
        <li key={word} className={`mapedge ${look}`}>
          <svg width="24" height="8" aria-hidden="true">
            <path d="M0 4H24" style={{ strokeWidth: 2 }} />
          </svg>
          {word}
        </li>
      ))}
      <li>
        <svg width="16" height="10" aria-hidden="true" className="mapnode foreign">
          <rect x="0.5" y="0.5" width="15" height="9" rx="2" />
        </svg>
        not instrumented
      </li>
    </ul>
  );
}
