import type { EndpointType } from '@svc/contracts/results/canonical-result';
import type { EndpointResult } from '../result.ts';

/** The newest result of each thing that was measured, as it was measured: nothing of it has been taken out. */
export interface Observed {
  note(results: readonly EndpointResult[]): void;
  newest(type: EndpointType): EndpointResult | undefined;
  /** One for each target, in the order in which they were first seen. */
  each(type: EndpointType): EndpointResult[];
}

/** More than any policy's targets; what nobody chooses any more goes first. */
const MAX_KEPT = 64;

export function createObserved(): Observed {
  const kept = new Map<string, EndpointResult>();
  const each = (type: EndpointType): EndpointResult[] => [...kept.values()].filter((result) => result.canary_type === type);
  return {
    note(results) {
      for (const result of results) {
        kept.set(`${result.canary_type} ${result.attributes['url.full'] ?? result.server_address ?? ''}`, result);
      }
      if (kept.size <= MAX_KEPT) return;
      const oldest = [...kept].sort(([, a], [, b]) => (a.started_at < b.started_at ? -1 : 1));
      for (const [key] of oldest.slice(0, kept.size - MAX_KEPT)) kept.delete(key);
    },
    newest: (type) =>
      each(type)
        .toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1))
        .at(-1),
    each,
  };
}
