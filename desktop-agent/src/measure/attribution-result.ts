import { encodeJudged } from '@svc/contracts/judged/codec';
import { isMeasuring } from '@svc/contracts/judged/fault';
import { isEvidence } from '@svc/contracts/judged/measures';
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
  /** Undefined also while measuring has only just begun. */
  onset: Onset | undefined;
  /** How often the cause changed in the last hour. */
  flips: number;
}

export interface Judging {
  thresholds: Readonly<Thresholds>;
  previous: Onset | undefined;
  /** How often the cause changed in the last hour. */
  flips: number;
}

/** One verdict as a result: cause, confidence, what it was judged by, the sentence and the four scores. */
export function judge(readings: Readings, judging: Judging, stamp: Stamp): Judged {
  const verdict = attribute(readings, judging.thresholds);
  if (!verdict) {
    const code = 'unavailable' in readings.gateway ? readings.gateway.unavailable : 'not_supported';
    return {
      result: absentResult('endpoint.attribution', stamp, { key: ATTRIBUTES.cause, code }),
      verdict,
      onset: undefined,
      flips: judging.flips,
    };
  }
  const { fault, also, coverage } = verdict;
  // While nobody can say yet how it is, no cause ends and none begins.
  const isOpen = verdict.cause === 'none' && fault === null && isMeasuring(coverage);
  const onset = isOpen ? undefined : nextOnset(judging.previous, verdict, stamp.startedAtMs);
  const result = emptyResult('endpoint.attribution', stamp);
  const fields = createFields(result);
  fields.attribute(ATTRIBUTES.cause, { value: verdict.cause });
  fields.attribute(ATTRIBUTES.summary, { value: summarize(verdict, onset?.sinceMs, judging.flips) });
  if (onset) fields.attribute(ATTRIBUTES.since, { value: new Date(onset.sinceMs).toISOString() });
  // Evidence names a fault; where there is none it would be sent each minute for nothing.
  const measures = verdict.layers
    .flatMap((state) => state.measures)
    .filter(({ measure }) => verdict.cause !== 'none' || fault !== null || !isEvidence(measure));
  fields.attribute(ATTRIBUTES.judged, { value: encodeJudged(measures, { fault, also, coverage, flips: judging.flips }) });
  if (fault) fields.attribute(ATTRIBUTES.fault, { value: fault.kind });
  fields.metric('confidence', { value: verdict.confidence });
  for (const state of verdict.layers) {
    const score = state.score === null ? { unavailable: state.unavailable ?? 'not_supported' } : { value: state.score };
    fields.metric(`score.${state.layer}`, score);
  }
  return { result, verdict, onset, flips: judging.flips };
}
