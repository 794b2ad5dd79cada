import { Pop } from '../../ui/floating.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { type MetricsSearch, RANGE_NAMES, RANGE_WORDS } from './metrics-search.ts';

interface RangeMenuProps {
  search: MetricsSearch;
  onChange: (part: MetricsSearch) => void;
}

/** The time that the page covers; a brushed one is named, and a range takes its place. */
export function RangeMenu({ search, onChange }: RangeMenuProps) {
  const brushed = search.from !== undefined && search.to !== undefined;
  const now = Date.now();
  const words = brushed
    ? `${formatMoment(search.from ?? 0, now)} to ${formatMoment(search.to ?? 0, now)}`
    : RANGE_WORDS[search.range ?? '1h'];
  return (
    <Pop
      width={220}
      position="bottom-end"
      target={(open, toggle) => (
        <button type="button" className="btn" aria-expanded={open} onClick={toggle}>
          <Icon name="clock" size={14} />
          {words}
          <Icon name="down" size={12} />
        </button>
      )}
    >
      {(close) => (
        <ul className="list" aria-label="Time shown">
          {RANGE_NAMES.map((name) => (
            <li key={name} className="flush">
              <button
                type="button"
                className="opt"
                aria-current={!brushed && name === (search.range ?? '1h')}
                onClick={() => {
                  onChange({ range: name === '1h' ? undefined : name, from: undefined, to: undefined });
                  close();
                }}
              >
                {RANGE_WORDS[name]}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Pop>
  );
}
