import type { EndpointRow, Verdict } from '@svc/contracts/endpoint/view';
import type { JudgedMeasure } from '@svc/contracts/judged/measures';
import { measuresOfReadings } from '@svc/contracts/judged/measures-of-readings';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import type { Cause } from '@svc/contracts/verdict';
import { NO_VERDICT, type RowVerdict, readJudgement, rowVerdict } from './judged-row.ts';
import { emptyReadings, foldResult, type Readings } from './readings.ts';
import type { Silence } from './silences.ts';

/** What is known of a device in a window that has passed. */
export interface PastWindow {
  toMs: number;
  /** The newest of each type and target in the window. */
  results: readonly CanonicalResult[];
  /** Verdicts, oldest first; they may begin before the window. */
  spans: readonly { fromMs: number; toMs: number; cause: Cause }[];
  silences: readonly Silence[];
}

const CONNECTIONS = ['wifi', 'wired', 'cellular'] as const;

function foldAll(results: readonly CanonicalResult[]): Readings {
  const agent = { readings: emptyReadings(), sessions: {} };
  for (const result of results.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1))) foldResult(agent, result);
  return agent.readings;
}

/** When the cause of a moment began, across silences; the moment itself where no span holds it. */
function beganAt(spans: PastWindow['spans'], cause: Verdict, atMs: number): number {
  let began = atMs;
  for (const span of spans.filter(({ fromMs }) => fromMs <= atMs).toReversed()) {
    if (span.cause !== cause) break;
    began = span.fromMs;
  }
  return began;
}

/** A silence that the window ends in says more than a verdict from before it; without either there was no contact. */
function judge({ causeAt, cause }: Readings, { toMs, silences }: PastWindow): Verdict {
  const silence = silences.find((one) => one.toMs >= toMs && one.fromMs >= (causeAt ?? 0));
  return silence?.verdict ?? cause ?? 'no_contact';
}

const reading = (value: number | null, unavailable: string | null) => ({ value, unavailable });

/** What was read of each layer and of the sessions. */
const layersOf = (read: Readings) => ({
  connection: CONNECTIONS.find((one) => one === read.connection) ?? ('unknown' as const),
  wifi_rssi_dbm: reading(read.wifiRssiDbm, read.wifiRssiWhy),
  wifi_signal_percent: reading(read.wifiSignalPercent, read.wifiSignalWhy),
  gateway_address: read.gatewayAddress,
  gateway_rtt_ms: reading(read.gatewayRttMs, read.gatewayRttWhy),
  gateway_loss_ratio: reading(read.gatewayLossRatio, read.gatewayLossWhy),
  isp_rtt_ms: reading(read.ispRttMs, read.ispRttWhy),
  isp_loss_ratio: reading(read.ispLossRatio, read.ispLossWhy),
  worst_session_ms: reading(read.worstSessionMs, read.worstSessionWhy),
  worst_session_target: read.worstSessionTarget,
  session_failures:
    read.sessionsFailed && read.sessionsJudged && read.failedSessionTarget !== null
      ? {
          failed: read.sessionsFailed,
          of: read.sessionsJudged,
          target: read.failedSessionTarget,
          phase: read.failedSessionPhase,
        }
      : null,
});

const measuresOf = (read: Readings): JudgedMeasure[] =>
  measuresOfReadings({
    ...{ wifi_rssi_dbm: read.wifiRssiDbm, wifi_signal_percent: read.wifiSignalPercent },
    ...{ gateway_rtt_ms: read.gatewayRttMs, gateway_loss_ratio: read.gatewayLossRatio },
    ...{ isp_rtt_ms: read.ispRttMs, isp_loss_ratio: read.ispLossRatio },
    ...{ worst_session_ms: read.worstSessionMs, worst_session_target: read.worstSessionTarget },
  });

/** What the verdict was judged by; nothing where the window ends in a silence. */
function judgedOf(read: Readings, verdict: Verdict, { spans }: PastWindow): RowVerdict {
  const { cause, causeAt, verdictSince } = read;
  if (cause === null || causeAt === null || verdict !== cause) return NO_VERDICT;
  // What the device itself says reaches back as far as it remembers; spans only as far as they were read.
  const isSaid = verdictSince !== null && verdictSince < causeAt;
  const since = new Date(isSaid ? verdictSince : beganAt(spans, cause, causeAt)).toISOString();
  return rowVerdict(
    { cause, since, confidence: read.confidence },
    readJudgement(read.judged, () => measuresOf(read)),
  );
}

/** The row of a device as of the end of a window: who it is stays, what was judged and read is of the window's last results. */
export function rowAsOf(row: EndpointRow, past: PastWindow): EndpointRow {
  const read = foldAll(past.results);
  const verdict = judge(read, past);
  // How long a pause was to last then is not kept.
  return { ...row, ...layersOf(read), verdict, ...judgedOf(read, verdict, past), paused_until: null };
}
