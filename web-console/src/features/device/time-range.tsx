import { getRouteApi, useMatchRoute } from '@tanstack/react-router';
import { RangeMenu } from '../../ui/range-menu.tsx';
import { type DeviceSearch, RANGE_WORDS } from './device-search.ts';

const route = getRouteApi('/fleet/$id');

/** The time that a device page covers; stands in the top bar of that page only, since nothing else follows it. */
export function TimeRange() {
  return useMatchRoute()({ to: '/fleet/$id' }) ? <DeviceRange /> : null;
}

function DeviceRange() {
  const { range } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <RangeMenu
      words={RANGE_WORDS}
      usual="24h"
      range={range}
      onChange={(part) => void navigate({ search: (before: DeviceSearch) => ({ ...before, ...part }) })}
    />
  );
}
