import { useMemo } from 'react';
import type { Topology } from '../../api-types.ts';
import { formatPercent, plural } from '../../ui/words/format.ts';
import { curvesOf, type Point, pathOf } from './map-edge-path.ts';
import { isFailing } from './map-fault.ts';
import { placeLabels } from './map-labels.ts';
import type { MapLayout, PlacedEdge } from './map-layout.ts';
import { Node } from './map-node.tsx';
import { describeEdge, edgeWords } from './map-words.ts';

interface GraphProps {
  map: Topology;
  /** Of the map. */
  layout: MapLayout;
  /** 1: the text at its own size. */
  zoom: number;
  /** Id of the node looked at; all that does not touch it is dimmed. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** What an edge says: how much of it fails, or else what it carries. */
const labelOf = ({ edge }: PlacedEdge, seconds: number): string =>
  isFailing(edge) ? `${formatPercent(edge.error_ratio ?? 0)} fail` : edgeWords(edge, seconds);

/** Labels of what is looked at, then of what fails, then of what is busy, as long as there is room. */
function useLabels(layout: MapLayout, seconds: number, chosen: string | undefined) {
  return useMemo(() => {
    const weigh = ({ edge }: PlacedEdge): number =>
      (chosen !== undefined && (edge.source === chosen || edge.target === chosen) ? 4 : 0) + (isFailing(edge) ? 2 : 0);
    const ordered = layout.edges.toSorted((a, b) => weigh(b) - weigh(a) || b.edge.rate - a.edge.rate);
    const labels = ordered.map((placed) => ({ placed, text: labelOf(placed, seconds) }));
    return placeLabels(layout, labels);
  }, [layout, seconds, chosen]);
}

/** Who calls whom, left to right; the list beside it says the same in words. */
export function MapGraph({ map, layout, zoom, chosen, onChoose }: GraphProps) {
  const seconds = map.computed_to ? (Date.parse(map.computed_to) - Date.parse(map.from)) / 1000 : 0;
  const labels = useLabels(layout, seconds, chosen);
  const fastest = Math.max(...map.edges.map(({ rate }) => rate), 1e-9);
  const touches = ({ edge }: PlacedEdge): boolean => chosen === undefined || edge.source === chosen || edge.target === chosen;
  const near = new Set(layout.edges.filter(touches).flatMap(({ edge }) => [edge.source, edge.target]));
  // What fails lies on top of what does not, and words on top of every line.
  const edges = layout.edges.toSorted((a, b) => Number(isFailing(a.edge)) - Number(isFailing(b.edge)));
  const [width, height] = [layout.width, layout.height + 8];
  return (
    <>
      <svg width={width * zoom} height={height * zoom} viewBox={`0 0 ${width} ${height}`} className="mapsvg">
        <title>Who calls whom; the list below says the same</title>
        <Tips />
        {edges.map((placed) => (
          <Edge key={keyOf(placed)} placed={placed} share={placed.edge.rate / fastest} dim={!touches(placed)} />
        ))}
        {edges.map((placed) => (
          <Label
            key={keyOf(placed)}
            placed={placed}
            words={labelOf(placed, seconds)}
            at={labels.get(placed)}
            dim={!touches(placed)}
          />
        ))}
        {layout.nodes.map((placed) => (
          <Node
            key={placed.node.id}
            placed={placed}
            chosen={placed.node.id === chosen}
            dim={chosen !== undefined && placed.node.id !== chosen && !near.has(placed.node.id)}
            onChoose={() => onChoose(placed.node.id === chosen ? undefined : placed.node.id)}
          />
        ))}
      </svg>
      {layout.hidden > 0 ? (
        <p className="s mute mapmore">
          {plural(layout.hidden, 'less busy node')} not drawn: find them by name, or in the list of connections.
        </p>
      ) : null}
    </>
  );
}

/** Arrowheads, whose colour is that of their edge. */
function Tips() {
  return (
    <defs>
      {['', 'bad'].map((look) => (
        <marker
          key={look}
          id={`tip${look}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" className={`tip ${look}`} />
        </marker>
      ))}
    </defs>
  );
}

interface EdgeProps {
  placed: PlacedEdge;
  /** Of the busiest edge's rate, 0 to 1. */
  share: number;
  dim: boolean;
}

/** 1 px for next to nothing, 5 px for the busiest; a root, so that the quiet ones still differ. */
const edgeWidth = (share: number): number => 1 + 4 * Math.sqrt(share);

const keyOf = ({ edge }: PlacedEdge): string => `${edge.source} ${edge.target} ${edge.kind}`;

const classOf = ({ edge }: PlacedEdge, dim: boolean): string => {
  const kind = edge.kind === 'flow' ? 'flow' : edge.kind === 'message' || edge.kind === 'queue' ? 'message' : '';
  return `mapedge ${isFailing(edge) ? 'bad' : ''} ${kind} ${dim ? 'dim' : ''}`;
};

function Edge({ placed, share, dim }: EdgeProps) {
  const { edge, from, to } = placed;
  const tip = isFailing(edge) ? 'url(#tipbad)' : 'url(#tip)';
  return (
    <g className={classOf(placed, dim)}>
      <title>{`${from.node.name} to ${to.node.name}: ${describeEdge(edge)}`}</title>
      <path d={pathOf(curvesOf(placed))} style={{ strokeWidth: edgeWidth(share) }} markerEnd={tip} />
    </g>
  );
}

interface LabelProps {
  placed: PlacedEdge;
  words: string;
  /** Without a free place the words are in the edge's title alone. */
  at: Point | undefined;
  dim: boolean;
}

function Label({ placed, words, at, dim }: LabelProps) {
  if (!at) return null;
  return (
    <g className={classOf(placed, dim)}>
      <text x={at.x} y={at.y} textAnchor="middle">
        {words}
      </text>
    </g>
  );
}
