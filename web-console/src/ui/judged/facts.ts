import type { DeviceView, EndpointRow } from '@svc/contracts/endpoint/view';
import { isEvidence } from '@svc/contracts/judged/measures';
import { measuresOfReadings } from '@svc/contracts/judged/measures-of-readings';
import { type LayerFact, readVerdict, type VerdictFacts } from '@svc/contracts/judged/read-verdict';
import { limitWords, measureWords } from '@svc/contracts/judged/sentence';
import { CAUSES, type Layer } from '@svc/contracts/verdict';

const read = new WeakMap<EndpointRow, VerdictFacts | null>();

function readFacts(row: EndpointRow, layers?: DeviceView['layers']): VerdictFacts | null {
  const cause = CAUSES.find((one) => one === row.verdict);
  if (cause === undefined) return null;
  const { judged, verdict_since: since, fault, also, coverage, flips } = row;
  return readVerdict({ cause, since, measures: judged ?? [], fault, also, coverage, flips, ...(layers ? { layers } : {}) });
}

/** What the verdict of a row says; null where it is a state. Read once for a row, however many cells ask. */
export function factsOfRow(row: EndpointRow): VerdictFacts | null {
  const known = read.get(row);
  if (known !== undefined) return known;
  const facts = readFacts(row);
  read.set(row, facts);
  return facts;
}

/** The same with the scores of a device page. */
export const factsOfDevice = ({ endpoint, layers }: Pick<DeviceView, 'endpoint' | 'layers'>): VerdictFacts | null =>
  readFacts(endpoint, layers);

/** The last scores and readings of a device whose state gives no verdict now. */
export function lastFacts({ endpoint: row, layers }: Pick<DeviceView, 'endpoint' | 'layers'>): VerdictFacts {
  const measures = measuresOfReadings({
    wifi_rssi_dbm: row.wifi_rssi_dbm.value,
    wifi_signal_percent: row.wifi_signal_percent.value,
    gateway_rtt_ms: row.gateway_rtt_ms.value,
    gateway_loss_ratio: row.gateway_loss_ratio.value,
    isp_rtt_ms: row.isp_rtt_ms.value,
    isp_loss_ratio: row.isp_loss_ratio.value,
    worst_session_ms: row.worst_session_ms.value,
    worst_session_target: row.worst_session_target,
  });
  return readVerdict({ cause: 'none', since: null, measures, layers });
}

/** What a layer was judged by, the deciding measure first and with its limit: "133 ms, limit 80 ms, nothing lost". */
export function layerFigures({ measures, decided }: Pick<LayerFact, 'measures' | 'decided'>): string {
  const others = measures.filter((one) => one !== decided && one.measure !== 'sessions_failed' && !isEvidence(one.measure));
  const rest = [...others.filter(({ samples }) => samples === null), ...others.filter(({ samples }) => samples !== null)];
  const first = decided ? [measureWords(decided), limitWords(decided)] : [];
  return [...first, ...rest.map(measureWords)].filter((words) => words !== '').join(', ');
}

const NAMES: Readonly<Record<Layer, string>> = {
  wifi: 'the slow Wi-Fi',
  local: 'the slow local network',
  isp: 'the slow ISP',
  network: 'something slow',
};

/** Why a layer behind the fault has no score. */
export const behindWords = (behind: Layer): string => `not judged: behind ${NAMES[behind]}`;
export const behindClause = (behind: Layer): string =>
  `not judged: everything behind ${NAMES[behind]} is measured through it, so its figures say nothing about this layer alone`;
