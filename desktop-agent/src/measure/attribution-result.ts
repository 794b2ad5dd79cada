import { encodeJudged } from '@svc/contracts/judged/codec';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import type { Thresholds } from '@svc/contracts/verdict';
import { attribute, type Verdict } from '../attribution/attribute.ts';
import { nextOnset, type Onset } from '../attribution/onset.ts';
import type { Readings } from '../attribution/readings.ts';
import { summarize } from '../attribution/summary.ts';
import { absentResult, createFields, type EndpointResult, emptyResult, type Stamp } from '../result.ts';

export interface Judged {
  result: EndpointResult;
  /** Undefined where not one layer could be judged. */
  verdict: Verdict | undefined;
  onset: Onset | undefined;
}

export interface Judging {
  thresholds: Readonly<Thresholds>;
  previous: Onset | undefined;
}

/** One verdict as a result: cause, confidence, what it was judged by, the sentence and the four scores. */
export function judge(readings: Readings, judging: Judging, stamp: Stamp): Judged {
  const verdict = attribute(readings, judging.thresholds);
  if (!verdict) {
    const code = 'unavailable' in readings.gateway ? readings.gateway.unavailable : 'not_supported';
    return { result: absentResult('endpoint.attribution', stamp, { key: ATTRIBUTES.cause, code }), verdict, onset: undefined };
  }
  const onset = nextOnset(judging.previous, verdict.cause, stamp.startedAtMs);
  const result = emptyResult('endpoint.attribution', stamp);
  const fields = createFields(result);
  fields.attribute(ATTRIBUTES.cause, { value: verdict.cause });
  fields.attribute(ATTRIBUTES.summary, { value: summarize(verdict, onset.sinceMs) });
  fields.attribute(ATTRIBUTES.since, { value: new Date(onset.sinceMs).toISOString() });
  fields.attribute(ATTRIBUTES.judged, { value: encodeJudged(verdict.layers.flatMap((state) => state.measures)) });
  const at = verdict.layers.findIndex((state) => state.fault !== null);
  const heldBack = verdict.layers.slice(at + 1).filter((state) => at >= 0 && state.fault !== null);
  fields.attribute(ATTRIBUTES.heldBack, { value: heldBack.map((state) => state.layer).join(',') });
  fields.metric('confidence', { value: verdict.confidence });
  for (const state of verdict.layers) {
    const score = state.score === null ? { unavailable: state.unavailable ?? 'not_supported' } : { value: state.score };
    fields.metric(`score.${state.layer}`, score);
  }
  return { result, verdict, onset };
}
