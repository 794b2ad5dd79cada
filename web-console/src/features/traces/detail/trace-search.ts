import { textOf } from '../../../ui/search-params.ts';
import type { WaterfallView } from './waterfall-rows.ts';

/** What a link to a trace carries: the span looked at and which spans are drawn. */
export interface TraceSearch {
  span?: string | undefined;
  view?: Exclude<WaterfallView, 'all'> | undefined;
}

export function decodeTraceSearch(raw: Record<string, unknown>): TraceSearch {
  const span = textOf(raw.span)?.toLowerCase();
  return {
    ...(span && /^[0-9a-f]{16}$/.test(span) ? { span } : {}),
    ...(raw.view === 'critical' || raw.view === 'errors' ? { view: raw.view } : {}),
  };
}
