import { type KeyboardEvent, useMemo } from 'react';
import type { Topology } from '../../api-types.ts';
import { formatMs, formatPercent, plural } from '../../ui/format.ts';
import { ScrollX } from '../../ui/scroll-x.tsx';
import { useServiceColor } from '../../ui/service-colors.tsx';
import { isFailing } from './map-fault.ts';
import { layOutMap, NODE_HEIGHT, NODE_WIDTH, type PlacedEdge, type PlacedNode } from './map-layout.ts';
import { describeEdge, edgeWords, formatRate, NODE_WORDS } from './map-words.ts';

interface GraphProps {
  map: Topology;
  /** Id of the node looked at; all that does not touch it is dimmed. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** A letter of a node's name, and of the figures beside it. */
const NAME_PX = 7.2;
const FIGURE_PX = 5.8;
const shorten = (text: string, width: number, charPx: number): string => {
  const most = Math.floor(width / charPx);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

/** Who calls whom, left to right; the list beside it says the same in words. */
export function MapGraph({ map, chosen, onChoose }: GraphProps) {
  const layout = useMemo(() => layOutMap(map.nodes, map.edges), [map.nodes, map.edges]);
  const seconds = map.computed_to ? (Date.parse(map.computed_to) - Date.parse(map.from)) / 1000 : 0;
  const fastest = Math.max(...map.edges.map(({ rate }) => rate), 1e-9);
  const touches = ({ edge }: PlacedEdge): boolean => chosen === undefined || edge.source === chosen || edge.target === chosen;
  const near = new Set(layout.edges.filter(touches).flatMap(({ edge }) => [edge.source, edge.target]));
  return (
    <ScrollX label="Service map">
      <svg width={layout.width} height={layout.height + 8} className="mapsvg">
        <title>Who calls whom; the list below says the same</title>
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
        {layout.edges.map((placed) => (
          <Edge
            key={`${placed.edge.source} ${placed.edge.target} ${placed.edge.kind}`}
            placed={placed}
            share={placed.edge.rate / fastest}
            words={edgeWords(placed.edge, seconds)}
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
        <p className="s mute mapmore">{plural(layout.hidden, 'less busy node')} not drawn; the list has all connections.</p>
      ) : null}
    </ScrollX>
  );
}

interface EdgeProps {
  placed: PlacedEdge;
  /** Of the busiest edge's rate, 0 to 1. */
  share: number;
  words: string;
  dim: boolean;
}

/** 1 px for next to nothing, 5 px for the busiest; a root, so that the quiet ones still differ. */
const edgeWidth = (share: number): number => 1 + 4 * Math.sqrt(share);

interface Point {
  x: number;
  y: number;
}

/** A smooth line through points, level at each. */
const curve = (points: readonly Point[]): string =>
  points
    .slice(1)
    .map((to, i) => {
      const from = points[i] ?? to;
      const bend = (to.x - from.x) / 2;
      return `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
    })
    .join('');

/** Nearer to where it arrives: many edges leave one node at one point. */
const LABEL_AT = 0.62;

function Edge({ placed: { edge, from, to, via }, share, words, dim }: EdgeProps) {
  const start = { x: from.x + NODE_WIDTH, y: from.y + NODE_HEIGHT / 2 };
  const end = { x: to.x - 3, y: to.y + NODE_HEIGHT / 2 };
  // Level through the columns that it passes: it bends in the gaps alone, where no node stands.
  const points = via.flatMap(({ x, y }) => [
    { x: x - NODE_WIDTH / 2, y },
    { x: x + NODE_WIDTH / 2, y },
  ]);
  const last = points.at(-1) ?? start;
  const backwards = end.x <= start.x;
  const path = backwards
    ? `M${start.x} ${start.y}C${start.x + 60} ${start.y + NODE_HEIGHT} ${end.x - 60} ${end.y + NODE_HEIGHT} ${end.x} ${end.y}`
    : `M${start.x} ${start.y}${curve([start, ...points, end])}`;
  const t = LABEL_AT;
  const label = {
    x: last.x + (end.x - last.x) * t,
    y: last.y + (end.y - last.y) * (3 * t * t - 2 * t * t * t),
  };
  const bad = isFailing(edge);
  const kind = edge.kind === 'flow' ? 'flow' : edge.kind === 'message' || edge.kind === 'queue' ? 'message' : '';
  const said = bad ? `${formatPercent(edge.error_ratio ?? 0)} fail` : words;
  return (
    <g className={`mapedge ${bad ? 'bad' : ''} ${kind} ${dim ? 'dim' : ''}`}>
      <title>{`${from.node.name} to ${to.node.name}: ${describeEdge(edge)}`}</title>
      <path d={path} style={{ strokeWidth: edgeWidth(share) }} markerEnd={bad ? 'url(#tipbad)' : 'url(#tip)'} />
      <text x={label.x} y={label.y - 4 + (backwards ? NODE_HEIGHT * 0.75 : 0)} textAnchor="middle">
        {said}
      </text>
    </g>
  );
}

interface NodeProps {
  placed: PlacedNode;
  chosen: boolean;
  dim: boolean;
  onChoose: () => void;
}

function Node({ placed: { node, x, y }, chosen, dim, onChoose }: NodeProps) {
  const ours = node.kind === 'service';
  const color = useServiceColor()(node.name);
  const bad = isFailing(node);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    onChoose();
    event.preventDefault();
  };
  const p95 = node.p95_ms === null ? NODE_WORDS[node.kind] : `p95 ${formatMs(node.p95_ms)}`;
  const errors = node.error_ratio === null ? '' : `${formatPercent(node.error_ratio)} err`;
  const rate = node.calls > 0 ? formatRate(node.rate) : '';
  // What stands at the right of a line has its room first.
  const roomBeside = (figure: string): number => NODE_WIDTH - 20 - (figure === '' ? 0 : figure.length * FIGURE_PX + 8);
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML's button cannot stand inside an SVG.
    <g
      className={`mapnode ${ours ? '' : 'foreign'} ${chosen ? 'chosen' : ''} ${dim ? 'dim' : ''}`}
      role="button"
      tabIndex={0}
      aria-pressed={chosen}
      aria-label={[node.name, rate, p95, errors, node.p95_ms === null ? '' : NODE_WORDS[node.kind]].filter(Boolean).join(', ')}
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      <title>{node.name}</title>
      <rect x={x} y={y} width={NODE_WIDTH} height={NODE_HEIGHT} rx="4" />
      {ours ? (
        <rect x={x + 1} y={y + 6} width="3" height={NODE_HEIGHT - 12} rx="1" className="hue" style={{ fill: color }} />
      ) : null}
      <text x={x + 12} y={y + 20} className="name">
        {shorten(node.name, roomBeside(rate), NAME_PX)}
      </text>
      <text x={x + NODE_WIDTH - 8} y={y + 20} textAnchor="end" className="num">
        {rate}
      </text>
      <text x={x + 12} y={y + 38} className="num">
        {shorten(p95, roomBeside(errors), FIGURE_PX)}
      </text>
      <text x={x + NODE_WIDTH - 8} y={y + 38} textAnchor="end" className={bad ? 'num bad' : 'num'}>
        {errors}
      </text>
    </g>
  );
}
