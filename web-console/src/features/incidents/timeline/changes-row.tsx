import { useMoments } from '../../../ui/charts/moment-marks.tsx';
import { plural } from '../../../ui/words/format.ts';
import { type Plot, Row } from './lane-row.tsx';

const DIAMOND_PX = 5;
/** A letter of its size, about. */
const LETTER_PX = 5.8;

/** Changes of what is hurt, each by its name where there is room before its diamond, whose line goes through all lanes below. */
export function ChangesRow({ plot }: { plot: Plot }) {
  const { width, shown, toX } = plot;
  const moments = useMoments()
    .filter(({ at }) => at >= shown.from && at <= shown.to)
    .toSorted((a, b) => a.at - b.at);
  if (moments.length === 0) return null;
  const hasRoom = (index: number, words: string): boolean => {
    const before = moments[index - 1];
    const from = before ? toX(before.at) + DIAMOND_PX : 0;
    return toX(moments[index]?.at ?? shown.from) - DIAMOND_PX * 2 - words.length * LETTER_PX > from;
  };
  const words = moments.map((moment) => moment.words);
  return (
    <Row plot={plot} label={<b>Changes</b>} className="tl-changes">
      <svg
        width={width}
        height="20"
        role="img"
        aria-label={`${plural(moments.length, 'change')}: ${words.slice(0, 5).join('; ')}`}
      >
        {moments.map(({ id, at, words: name }, index) => (
          <g key={id}>
            {hasRoom(index, name) ? (
              <text className="tl-ax tl-name" x={toX(at) - DIAMOND_PX * 2} y="14" textAnchor="end">
                {name}
              </text>
            ) : null}
          </g>
        ))}
      </svg>
    </Row>
  );
}
