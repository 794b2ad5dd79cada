import { decodeCarried } from '../../../ui/address/keep-range.ts';
import { textOf } from '../../../ui/address/search-params.ts';
import type { RangeSearch } from '../../../ui/address/time-range.ts';
import type { WaterfallView } from './waterfall-rows.ts';

/** What a link to a trace carries: the span looked at, which spans are drawn, and the range that leads back to the list. */
export interface TraceSearch extends RangeSearch {
  span?: string | undefined;
  view?: Exclude<WaterfallView, 'all'> | undefined;
}

export function decodeTraceSearch(raw: Record<string, unknown>): TraceSearch {
  const span = textOf(raw.span)?.toLowerCase();
  return {
    ...(span && /^[0-9a-f]{16}$/.test(span) ? { span } : {}),
    ...decodeCarried(raw),
    ...(raw.view === 'critical' || raw.view === 'errors' ? { view: raw.view } : {}),
  };
}
