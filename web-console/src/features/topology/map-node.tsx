import type { KeyboardEvent } from 'react';
import { useServiceColor } from '../../ui/services/service-colors.tsx';
import { formatMs, formatPercent } from '../../ui/words/format.ts';
import { isFailing } from './map-fault.ts';
import { NODE_HEIGHT, NODE_WIDTH, type PlacedNode } from './map-layout.ts';
import { formatRate, NODE_WORDS } from './map-words.ts';

/** A letter of a node's name, and of the figures beside it. */
const NAME_PX = 7.2;
const FIGURE_PX = 5.8;
const shorten = (text: string, width: number, charPx: number): string => {
  const most = Math.floor(width / charPx);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

interface NodeProps {
  placed: PlacedNode;
  chosen: boolean;
  dim: boolean;
  onChoose: () => void;
}

/** A node that is chosen by click, Enter or Space. */
export function Node({ placed: { node, x, y }, chosen, dim, onChoose }: NodeProps) {
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
  const name = shorten(node.name, roomBeside(rate), NAME_PX);
  const below = shorten(p95, roomBeside(errors), FIGURE_PX);
  // As it is seen, so that it is found by voice; then what stands there too short.
  const spoken = [
    name,
    rate,
    below,
    errors,
    name === node.name ? '' : node.name,
    node.p95_ms === null ? '' : NODE_WORDS[node.kind],
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML's button cannot stand inside an SVG.
    <g
      className={`mapnode ${ours ? '' : 'foreign'} ${chosen ? 'chosen' : ''} ${dim ? 'dim' : ''}`}
      role="button"
      tabIndex={0}
      aria-pressed={chosen}
      aria-label={spoken.filter(Boolean).join(', ')}
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      <title>{node.name}</title>
      <rect x={x} y={y} width={NODE_WIDTH} height={NODE_HEIGHT} rx="4" />
      {ours ? (
        <rect x={x + 1} y={y + 6} width="3" height={NODE_HEIGHT - 12} rx="1" className="hue" style={{ fill: color }} />
      ) : null}
      <text x={x + 12} y={y + 20} className="name">
        {name}
      </text>{' '}
      <text x={x + NODE_WIDTH - 8} y={y + 20} textAnchor="end" className="num">
        {rate}
      </text>{' '}
      <text x={x + 12} y={y + 38} className="num">
        {below}
      </text>{' '}
      <text x={x + NODE_WIDTH - 8} y={y + 38} textAnchor="end" className={bad ? 'num bad' : 'num'}>
        {errors}
      </text>
    </g>
  );
}
