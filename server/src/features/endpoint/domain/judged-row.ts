import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { decodeVerdict, type Judged } from '@svc/contracts/judged/codec';
import { NO_NOTES } from '@svc/contracts/judged/fault';
import type { JudgedMeasure, Measure } from '@svc/contracts/judged/measures';
import { type JudgedVerdict, readVerdict } from '@svc/contracts/judged/read-verdict';
import { composeSentence, sentenceText, utcWords } from '@svc/contracts/judged/sentence';

/** The sentence of a verdict for readers of any zone: its clock times are UTC and say so. */
export const summaryWords = (verdict: JudgedVerdict): string => sentenceText(composeSentence(readVerdict(verdict)), utcWords);

/** What a row tells of its verdict beside the cause. */
export type RowVerdict = Pick<
  EndpointRow,
  'judged' | 'fault' | 'also' | 'coverage' | 'flips' | 'summary' | 'confidence' | 'verdict_since'
>;

/** Of a row whose verdict is a state. */
export const NO_VERDICT: RowVerdict = {
  judged: null,
  ...NO_NOTES,
  summary: null,
  confidence: null,
  verdict_since: null,
};

/** Reads what an agent sent of its verdict; of one that names no measures, those of its readings are taken. */
export function readJudgement(text: string | null, otherwise: () => JudgedMeasure[]): Judged {
  const read = text === null ? null : decodeVerdict(text);
  return read ?? { measures: otherwise(), ...NO_NOTES };
}

/** The verdict of a row with its sentence. */
export function rowVerdict(
  { cause, since, confidence }: Pick<JudgedVerdict, 'cause' | 'since'> & { confidence: number | null },
  { measures, ...notes }: Judged,
): RowVerdict {
  const summary = summaryWords({ cause, since, measures, ...notes });
  return { judged: measures, ...notes, summary, confidence, verdict_since: since };
}

const CELLS: Readonly<Partial<Record<Measure, keyof EndpointRow>>> = {
  wifi_rssi_dbm: 'wifi_rssi_dbm',
  wifi_signal_percent: 'wifi_signal_percent',
  gateway_loss_ratio: 'gateway_loss_ratio',
  gateway_rtt_ms: 'gateway_rtt_ms',
  isp_loss_ratio: 'isp_loss_ratio',
  isp_rtt_ms: 'isp_rtt_ms',
};

/** A row with the values of these measures in its cells. */
export function withMeasures(row: EndpointRow, measures: readonly JudgedMeasure[]): EndpointRow {
  const cells = measures.flatMap(({ measure, value }) => {
    const cell = CELLS[measure];
    return cell ? [[cell, { value, unavailable: null }] as const] : [];
  });
  const session = measures.find((one) => one.measure === 'session_total_ms');
  const hasFailed = measures.some((one) => one.measure === 'sessions_failed');
  const told =
    session && !hasFailed
      ? {
          worst_session_ms: { value: session.value, unavailable: null },
          worst_session_target: session.target ?? row.worst_session_target,
        }
      : {};
  return { ...row, ...Object.fromEntries(cells), ...told };
}
