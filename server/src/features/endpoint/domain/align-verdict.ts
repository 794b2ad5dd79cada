import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { decodeVerdict } from '@svc/contracts/judged/codec';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { CAUSES, NO_CONTACT_AFTER_MS } from '@svc/contracts/verdict';
import type { DeviceResult } from './device-parts.ts';
import { rowVerdict, withMeasures } from './judged-row.ts';

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
  const began = Date.parse(attribution.attributes[ATTRIBUTES.since] ?? '');
  const known = cause === endpoint.verdict ? endpoint.verdict_since : new Date(attribution.startedAtMs).toISOString();
  const since = began <= attribution.startedAtMs ? new Date(began).toISOString() : known;
  const said = decodeVerdict(attribution.attributes[ATTRIBUTES.judged] ?? '');
  const { fault, also, coverage, flips } = endpoint;
  const judgement = said ?? { measures: endpoint.judged ?? [], fault, also, coverage, flips };
  const verdict = rowVerdict({ cause, since, confidence: attribution.metrics.confidence ?? null }, judgement);
  return { endpoint: { ...withMeasures(endpoint, said?.measures ?? []), verdict: cause, ...verdict }, attribution };
}
