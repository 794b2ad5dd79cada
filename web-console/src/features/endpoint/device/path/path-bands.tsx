import type { VerdictFacts } from '@svc/contracts/judged/read-verdict';
import { formatMs, plural } from '../../../../ui/words/format.ts';
import { bandShares } from './path-layout.ts';
import { PAD, type Placed } from './path-place.ts';
import { bandWords, SEGMENT_ORDER, SEGMENT_WORDS } from './segment-words.ts';

/** A narrower band has no room for hops and delay in one line. */
const LEAST_LINE = 110;

interface BandsProps {
  placed: readonly Placed[];
  width: number;
  height: number;
  judged: VerdictFacts['segments'] | undefined;
}

/**
 * The three bands of a path with what each was judged by, or with its share of this trace's delay where that is not known; in one line
 * where it fits and in two where not.
 */
export function Bands({ placed, width, height, judged }: BandsProps) {
  const shares = bandShares(placed.map((item) => item.node));
  const edges = SEGMENT_ORDER.map((segment) => placed.filter((item) => item.node.segment === segment).at(-1)).map((item) =>
    item ? PAD + item.x + item.width + 14 : undefined,
  );
  let from = 0;
  return SEGMENT_ORDER.map((segment, index) => {
    const to = segment === 'beyond' ? width : (edges[index] ?? (segment === 'local' ? 110 : from));
    if (segment !== 'beyond' && to <= from) return null;
    const x = from;
    from = to + 3;
    const share = shares.get(segment);
    const hops = share ? plural(share.hops, 'hop') : 'no hop seen';
    const traced = share && share.addsMs !== null ? `+${formatMs(share.addsMs)}` : '';
    const added = (judged && bandWords(judged[segment])) || traced;
    // Two figures of a judged band do not fit beside each other there either.
    const lines = to - x < LEAST_LINE ? [hops, ...added.split(', ')] : [[hops, added].filter(Boolean).join(', ')];
    return (
      <g key={segment}>
        <rect x={x} y="0" width={Math.max(0, to - x)} height={height} rx="3" fill="var(--sunken)" opacity=".6" />
        <text className="band" x={x + 10} y="20">
          {SEGMENT_WORDS[segment]}
        </text>
        {lines.map((line, at) => (
          <text key={line} className="bs" x={x + 10} y={36 + 14 * at}>
            {line}
          </text>
        ))}
      </g>
    );
  });
}
