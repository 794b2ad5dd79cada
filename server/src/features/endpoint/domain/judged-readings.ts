import type { FaultKind } from '@svc/contracts/fault-kinds';
import { decodeVerdict } from '@svc/contracts/judged/codec';
import { type Health, healthOf } from '@svc/contracts/judged/healths';
import { type JudgedMeasure, layerOf, MEASURES, type Measure } from '@svc/contracts/judged/measures';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { type Cause, NO_CONTACT_AFTER_MS } from '@svc/contracts/verdict';

/** The part of an agent's readings that a verdict tells as well. */
export interface JudgedReadings {
  judged: string | null;
  cause: Cause | null;
  /** Null for an agent that says neither. */
  health: Health | null;
  faultKind: FaultKind | null;
  causeAt: number | null;
  wifiAt: number | null;
  wifiRssiDbm: number | null;
  wifiRssiWhy: string | null;
  wifiSignalPercent: number | null;
  wifiSignalWhy: string | null;
  gatewayAt: number | null;
  gatewayRttMs: number | null;
  gatewayRttWhy: string | null;
  gatewayLossRatio: number | null;
  gatewayLossWhy: string | null;
  ispAt: number | null;
  ispRttMs: number | null;
  ispRttWhy: string | null;
  ispLossRatio: number | null;
  ispLossWhy: string | null;
  sessionAt: number | null;
  worstSessionMs: number | null;
  worstSessionWhy: string | null;
  worstSessionTarget: string | null;
}

interface Field {
  value: keyof JudgedReadings;
  why: keyof JudgedReadings;
  /** When the signal itself was read last. */
  at: 'wifiAt' | 'gatewayAt' | 'ispAt' | 'sessionAt';
}

/** The readings that a verdict is judged by as well; the table sorts and filters by these. */
const FIELDS: Readonly<Partial<Record<Measure, Field>>> = {
  wifi_rssi_dbm: { value: 'wifiRssiDbm', why: 'wifiRssiWhy', at: 'wifiAt' },
  wifi_signal_percent: { value: 'wifiSignalPercent', why: 'wifiSignalWhy', at: 'wifiAt' },
  gateway_loss_ratio: { value: 'gatewayLossRatio', why: 'gatewayLossWhy', at: 'gatewayAt' },
  gateway_rtt_ms: { value: 'gatewayRttMs', why: 'gatewayRttWhy', at: 'gatewayAt' },
  isp_loss_ratio: { value: 'ispLossRatio', why: 'ispLossWhy', at: 'ispAt' },
  isp_rtt_ms: { value: 'ispRttMs', why: 'ispRttWhy', at: 'ispAt' },
  session_total_ms: { value: 'worstSessionMs', why: 'worstSessionWhy', at: 'sessionAt' },
};

/** Whether the text of the newest verdict names a measure; it was parsed when it came. */
const names = (judged: string, measure: Measure): boolean => judged.includes(`"${measure}":[`);

/** A failed session is no time: its row tells what failed, not how long the slowest of the others took. */
const isTold = (judged: string, measure: Measure): boolean =>
  names(judged, measure) && (measure !== 'session_total_ms' || !names(judged, 'sessions_failed'));

const isLayerJudged = (judged: string, measure: Measure): boolean =>
  MEASURES.some((one) => layerOf(one) === layerOf(measure) && names(judged, one));

/**
 * A signal's new readings without those that the verdict tells: a row shows what its verdict was made from until the verdict itself is
 * too old to be shown.
 */
export function keepJudged(r: JudgedReadings, at: number, fresh: Partial<JudgedReadings>): Partial<JudgedReadings> {
  const { judged, causeAt } = r;
  if (judged === null || causeAt === null || at - causeAt >= NO_CONTACT_AFTER_MS) return fresh;
  const kept = { ...fresh };
  for (const [measure, field] of Object.entries(FIELDS) as [Measure, Field][]) {
    if (!(field.value in fresh)) continue;
    const isOlderAbsence = at <= causeAt && !isLayerJudged(judged, measure);
    if (!isTold(judged, measure) && !isOlderAbsence) continue;
    delete kept[field.value];
    delete kept[field.why];
    if (measure === 'session_total_ms') delete kept.worstSessionTarget;
  }
  return kept;
}

/** Why a layer was not judged, where it was not: what its readings then are not there for. */
const whyOf = ({ attributes }: CanonicalResult, measure: Measure): string | undefined =>
  attributes[`unavailable.score.${layerOf(measure)}`];

function tell(r: JudgedReadings, field: Field, measure: JudgedMeasure): void {
  Object.assign(r, { [field.value]: measure.value, [field.why]: null });
  if (measure.measure === 'session_total_ms') r.worstSessionTarget = measure.target ?? r.worstSessionTarget;
}

/** Takes the measures of a verdict into the row, so that what is sorted, filtered and shown is what was judged. */
export function foldJudged(r: JudgedReadings, result: CanonicalResult, at: number): void {
  const text = result.attributes[ATTRIBUTES.judged];
  const told = text === undefined ? null : decodeVerdict(text);
  const measures = told?.measures ?? null;
  r.faultKind = told?.fault?.kind ?? null;
  r.health = told === null || r.cause === null ? null : healthOf({ cause: r.cause, ...told });
  r.judged = measures === null ? null : (text ?? null);
  if (measures === null || r.judged === null) return;
  for (const [measure, field] of Object.entries(FIELDS) as [Measure, Field][]) {
    const readAt = r[field.at] ?? 0;
    if (readAt - at >= NO_CONTACT_AFTER_MS) continue;
    const found = measures.find((one) => one.measure === measure);
    const why = whyOf(result, measure);
    if (found && isTold(r.judged, measure)) tell(r, field, found);
    else if (why !== undefined && measure !== 'session_total_ms' && readAt <= at)
      Object.assign(r, { [field.value]: null, [field.why]: why });
  }
}

/** When a verdict's cause began, as its device says; undefined where it does not, or tells of a later time than its own. */
export function readSince(result: CanonicalResult, at: number): number | undefined {
  const since = Date.parse(result.attributes[ATTRIBUTES.since] ?? '');
  return since <= at ? since : undefined;
}
