import { useState } from 'react';
import { Button } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount } from '../../ui/words/format.ts';
import type { LineLook } from './line-looks.ts';
import { isOverflow } from './metric-words.ts';
import { type Line, type MetricsSearch, toggled } from './metrics-search.ts';

const COLUMNS: readonly Column[] = ['Series', numeric('Last'), numeric('Least'), numeric('Most')];

const PAGE = 50;

interface TableProps {
  /** The drawn ones first. */
  lines: readonly Line[];
  /** Of the drawn ones. */
  looks: readonly LineLook[];
  names: readonly string[];
  search: MetricsSearch;
  format: (value: number) => string;
  onLook: (place: number | undefined) => void;
  onChange: (part: MetricsSearch) => void;
}

const last = ({ values }: Line): number => values.at(-1) ?? Number.NaN;
const least = ({ values }: Line): number => values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
const most = ({ values }: Line): number => values.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY);

/** How many there are; the overflow series is not one of them. */
function countSeries(lines: readonly Line[]): string {
  const own = lines.filter((line) => !isOverflow(line)).length;
  if (own === lines.length) return own === 1 ? 'One series' : `${formatCount(own)} series`;
  return own === 0 ? 'Other series' : `${formatCount(own)} series and others`;
}

/** Every line with its figures; its name filters by its labels. */
export function SeriesTable({ lines, looks, names, search, format, onLook, onChange }: TableProps) {
  const drawn = looks.length;
  const [shown, setShown] = useState(PAGE);
  const filterBy = (line: Line): void => {
    const match = Object.entries(line.labels).map(([label, value]) => `${label}=${value}`);
    onChange({
      match: match.reduce((list, text) => (list.includes(text) ? list : (toggled(list, text) ?? [])), search.match ?? []),
    });
  };
  return (
    <section className="card mt-series" aria-label="Series">
      <header>
        <h2>{countSeries(lines)}</h2>
        {drawn < lines.length ? <span className="s mute">the {formatCount(drawn)} largest are drawn</span> : null}
      </header>
      <ScrollX label="Series">
        <table className="mt-table">
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {lines.slice(0, shown).map((line, place) => (
              <tr
                key={JSON.stringify(line.labels)}
                onPointerEnter={() => onLook(place < drawn ? place : undefined)}
                onPointerLeave={() => onLook(undefined)}
              >
                <td>
                  <button
                    type="button"
                    className="opt"
                    title={Object.entries(line.labels)
                      .map(([label, value]) => `${label}=${value}`)
                      .join('\n')}
                    onFocus={() => onLook(place < drawn ? place : undefined)}
                    onBlur={() => onLook(undefined)}
                    onClick={() => filterBy(line)}
                  >
                    <i style={{ background: looks[place]?.color ?? 'transparent' }} />
                    <span className="mt-cut">{names[place]}</span>
                  </button>
                </td>
                {[last(line), least(line), most(line)].map((value, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: three columns that never move.
                  <td key={column} className="n num" title={String(value)}>
                    {format(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      {shown < lines.length ? (
        <p className="mt-more">
          <Button look="quiet" onClick={() => setShown(shown + PAGE)}>
            Show more
          </Button>
        </p>
      ) : null}
    </section>
  );
}
