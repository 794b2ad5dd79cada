import { textOf } from '../../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeRule, type RangeSearch } from '../../../ui/address/time-range.ts';
import { type DrawerSearch, decodeDrawer } from '../drawer-search.ts';

/** The strip's length; a window is the time brushed on it. */
export const TEST_RANGE: RangeRule = {
  names: ['1h', '6h', '24h', '7d', '30d'],
  usual: '24h',
  longestMs: 31 * RANGES['24h'],
  shortestMs: 60_000,
  reachMs: RANGES['30d'],
};

/** What a link to a test carries: the time, the runner looked at, the run that is opened, the drawer. */
export interface TestSearch extends RangeSearch, DrawerSearch {
  /** Its runs alone; absent: the one that is worst. */
  runner?: string | undefined;
  /** Only failed runs are listed. */
  runs?: 'failed' | undefined;
  /** The run whose details are shown. */
  run?: string | undefined;
}

/** Decodes the URL; what is not understood is dropped. */
export function decodeTestSearch(raw: Record<string, unknown>, nowMs = Date.now()): TestSearch {
  const runner = textOf(raw.runner)?.slice(0, 64);
  const run = textOf(raw.run);
  return {
    ...decodeRange(raw, TEST_RANGE, nowMs),
    ...(runner ? { runner } : {}),
    ...(textOf(raw.runs) === 'failed' ? { runs: 'failed' as const } : {}),
    ...(run !== undefined && /^[0-9a-f-]{36}$/.test(run) ? { run } : {}),
    ...decodeOwnDrawer(raw),
  };
}

/** On its own page a drawer needs to name no test. */
function decodeOwnDrawer(raw: Record<string, unknown>): DrawerSearch {
  const drawer = textOf(raw.drawer);
  if (drawer === 'edit' || drawer === 'clone') return { drawer };
  return decodeDrawer(raw);
}
