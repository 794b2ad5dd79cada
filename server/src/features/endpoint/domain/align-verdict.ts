import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { decodeJudged } from '@svc/contracts/judged/codec';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { CAUSES, NO_CONTACT_AFTER_MS } from '@svc/contracts/verdict';
import type { DeviceResult } from './device-parts.ts';
import { summaryWords, withMeasures } from './judged-row.ts';

/** A device's row, and the attribution whose scores may stand beside it. */
export interface AlignedVerdict {
  endpoint: EndpointRow;
  attribution: DeviceResult | undefined;
}

/**
 * One verdict for a whole device page. The row and the scores come from two stores, either a moment ahead of the other: the row takes
 * the verdict of the scores. Scores that are far from the row's own verdict are those of a store that has stopped: they are left out.
 */
export function alignVerdict(
  endpoint: EndpointRow,
  causeAtMs: number | null,
  attribution: DeviceResult | undefined,
): AlignedVerdict {
  const cause = CAUSES.find((one) => one === attribution?.attributes[ATTRIBUTES.cause]);
  if (!attribution || cause === undefined) return { endpoint, attribution: undefined };
  // A state says that nothing is measured now; its page shows the last scores with their time.
  if (!CAUSES.some((one) => one === endpoint.verdict)) return { endpoint, attribution };
  if (Math.abs(attribution.startedAtMs - (causeAtMs ?? 0)) > NO_CONTACT_AFTER_MS) return { endpoint, attribution: undefined };
  const said = Date.parse(attribution.attributes[ATTRIBUTES.since] ?? '');
  const known = cause === endpoint.verdict ? endpoint.verdict_since : new Date(attribution.startedAtMs).toISOString();
  const since = said <= attribution.startedAtMs ? new Date(said).toISOString() : known;
  const measures = decodeJudged(attribution.attributes[ATTRIBUTES.judged] ?? '');
  const judged = measures ?? endpoint.judged ?? [];
  const verdict = {
    verdict: cause,
    judged,
    summary: summaryWords({ cause, since, measures: judged }),
    confidence: attribution.metrics.confidence ?? null,
    verdict_since: since,
  };
  return { endpoint: { ...withMeasures(endpoint, measures ?? []), ...verdict }, attribution };
}
