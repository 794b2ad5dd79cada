import { getRouteApi, useMatchRoute } from '@tanstack/react-router';
import { Pop } from '../../ui/floating.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type DeviceSearch, RANGE_WORDS, type RangeName } from './device-search.ts';

const NAMES: readonly RangeName[] = ['1h', '6h', '24h', '7d'];
const route = getRouteApi('/fleet/$id');

/** The time that a device page covers; stands in the top bar of that page only, since nothing else follows it. */
export function TimeRange() {
  return useMatchRoute()({ to: '/fleet/$id' }) ? <RangeMenu /> : null;
}

function RangeMenu() {
  const { range = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (next: RangeName): void =>
    void navigate({
      search: (before: DeviceSearch) => ({ ...before, range: next === '24h' ? undefined : next, from: undefined, to: undefined }),
    });
  return (
    <Pop
      width={160}
      position="bottom-end"
      target={(open, toggle) => (
        <button type="button" className="btn" aria-expanded={open} onClick={toggle}>
          <Icon name="clock" size={14} />
          {RANGE_WORDS[range]}
          <Icon name="down" size={12} />
        </button>
      )}
    >
      {(close) => (
        <ul className="list" aria-label="Time shown">
          {NAMES.map((name) => (
            <li key={name} className="flush">
              <button
                type="button"
                className="opt"
                aria-current={name === range}
                onClick={() => {
                  choose(name);
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
