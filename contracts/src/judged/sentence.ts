import { formatMs, formatPercent, joinWords, withUnit } from '../words/figures.ts';
import type { JudgedMeasure } from './measures.ts';
import { faultLayer, type LayerFact, type VerdictFacts } from './read-verdict.ts';

/** Words, or an instant that the viewer shows on the viewer's own clock. */
export type SentencePart = string | { at: string };

/** A measure in figures: "−79 dBm", "133 ms", "2 of 65 probes lost (3.1 %)". */
export function measureWords({ measure, value, samples, failed, target }: JudgedMeasure): string {
  switch (measure) {
    case 'wifi_rssi_dbm':
      return withUnit(value, 'dBm');
    case 'wifi_signal_percent':
      return withUnit(value, '%');
    case 'wifi_snr_db':
      return `${withUnit(value, 'dB')} above the noise`;
    case 'gateway_answers':
      return value > 0 ? 'answers' : 'does not answer';
    case 'gateway_loss_ratio':
    case 'isp_loss_ratio':
      if (value === 0) return 'nothing lost';
      return samples === null ? `${formatPercent(value)} lost` : `${failed} of ${samples} probes lost (${formatPercent(value)})`;
    case 'sessions_failed':
      return target === null ? `${value} failed` : `${target} failed`;
    default:
      return formatMs(value);
  }
}

/** The limit of a measure as a note beside its value, where a figure says it: "limit 80 ms". */
export function limitWords({ measure, limit }: JudgedMeasure): string {
  if (measure === 'gateway_answers' || measure === 'sessions_failed') return '';
  if (measure === 'gateway_loss_ratio' || measure === 'isp_loss_ratio') return `limit ${formatPercent(limit)}`;
  if (measure === 'wifi_snr_db') return `limit ${withUnit(limit, 'dB')}`;
  return `limit ${measureWords({ measure, value: limit, limit, samples: null, failed: null, target: null })}`;
}

const since = (facts: VerdictFacts): SentencePart[] => (facts.since === null ? [] : [' since ', { at: facts.since }]);
/** "answers in 45 ms", and with a beginning "has answered in 45 ms since 08:42". */
const lasting = (facts: VerdictFacts, verb: { now: string; since: string }, rest = ''): SentencePart[] => [
  `${facts.since === null ? verb.now : verb.since}${rest}`,
  ...since(facts),
];
const ANSWERS = { now: 'answers', since: 'has answered' };
const SILENT = { now: 'does not answer', since: 'has not answered' };
const TAKES = { now: 'takes', since: 'has taken' };

const lostWords = (decided: JudgedMeasure): string =>
  decided.samples === null
    ? `lost ${formatPercent(decided.value)} of its probes`
    : `lost ${decided.failed} of ${decided.samples} probes (${formatPercent(decided.value)})`;

const others = ({ samples, failed }: JudgedMeasure): string =>
  samples !== null && samples > 1 ? ` (${failed} of ${samples} services ${failed === 1 ? 'is' : 'are'} slow)` : '';

/** What is wrong, without its full stop. */
function faultParts(facts: VerdictFacts, decided: JudgedMeasure): SentencePart[] {
  const { measure } = decided;
  const target = decided.target ?? 'A service';
  switch (measure) {
    case 'wifi_rssi_dbm':
    case 'wifi_signal_percent':
      return [`signal near ${measureWords(decided)}`, ...since(facts), ', too weak to hold a fast link'];
    case 'wifi_snr_db':
      return [`the signal is only ${measureWords(decided)}`, ...since(facts)];
    case 'gateway_answers':
      return ['the gateway ', ...lasting(facts, SILENT)];
    case 'gateway_loss_ratio':
      return [`the gateway ${lostWords(decided)}`, ...since(facts)];
    case 'gateway_rtt_ms':
      return ['the gateway ', ...lasting(facts, ANSWERS, ` in ${measureWords(decided)}`)];
    case 'isp_loss_ratio':
      return [`its first router and those behind it ${lostWords(decided)}`, ...since(facts)];
    case 'isp_rtt_ms':
      return ['its first router ', ...lasting(facts, ANSWERS, ` in ${measureWords(decided)}`)];
    case 'sessions_failed':
      return [`${target} `, ...lasting(facts, SILENT), others(decided)];
    case 'session_total_ms':
      return [`${target} `, ...lasting(facts, TAKES, ` ${measureWords(decided)}`), others(decided)];
  }
}

const LEADS = {
  wifi: 'Slow because of Wi-Fi',
  local: 'Slow because of the local network',
  isp: 'Slow because of the ISP',
  network: 'Slow beyond the ISP',
  unknown: 'Slow: cause unknown',
} as const;
const FINE = { wifi: 'Wi-Fi', local: 'gateway', isp: 'ISP', network: 'services' } as const;

/** The nearer layers that were judged and are fine: the reader need not look there. */
function fineBefore(facts: VerdictFacts): string {
  const at = facts.layers.findIndex((one) => one.layer === faultLayer(facts.cause));
  const fine = facts.layers.slice(0, at).filter((one) => one.state === 'fine' || one.state === 'near_limit');
  if (fine.length === 0) return '';
  const list = joinWords(fine.map((one) => FINE[one.layer]));
  return ` ${list.charAt(0).toUpperCase()}${list.slice(1)} ${fine.length === 1 ? 'is' : 'are'} fine.`;
}

function healthyFigures({ layers }: VerdictFacts): string[] {
  const first = (layer: LayerFact['layer'], ...names: JudgedMeasure['measure'][]) =>
    layers.find((one) => one.layer === layer)?.measures.find((one) => names.includes(one.measure));
  const signal = first('wifi', 'wifi_rssi_dbm') ?? first('wifi', 'wifi_signal_percent');
  const [gateway, isp] = [first('local', 'gateway_rtt_ms'), first('isp', 'isp_rtt_ms')];
  const session = first('network', 'session_total_ms');
  const services = session?.samples ?? 1;
  return [
    signal ? `Wi-Fi ${measureWords(signal)}` : '',
    gateway ? `gateway ${measureWords(gateway)}` : '',
    isp ? `ISP ${measureWords(isp)}` : '',
    session ? `${services} ${services === 1 ? 'service' : 'services'} under ${formatMs(session.limit)}` : '',
  ].filter((one) => one !== '');
}

/**
 * A verdict as one plain sentence, for employee and administrator alike: the measure that decided with its unit and counts, since when,
 * and what is fine. Instants stay instants, so that each viewer reads them on the own clock.
 */
export function composeSentence(facts: VerdictFacts): SentencePart[] {
  const { cause, decided } = facts;
  if (cause === 'none') {
    const figures = healthyFigures(facts);
    return [figures.length > 0 ? `Healthy: ${figures.join(', ')}.` : 'Healthy: nothing that was measured is slow.'];
  }
  if (decided === null) return [LEADS[cause], ...since(facts), `.${cause === 'unknown' ? '' : fineBefore(facts)}`];
  const fault = faultParts(facts, decided);
  if (cause === 'unknown') return [`${LEADS.unknown}. `, ...fault, ', and the path there cannot be seen from here.'];
  return [`${LEADS[cause]}: `, ...fault, `.${cause === 'wifi' ? '' : fineBefore(facts)}`];
}

/** The sentence as text, its instants in the given words. */
export const sentenceText = (parts: readonly SentencePart[], say: (at: string) => string): string =>
  parts.map((part) => (typeof part === 'string' ? part : say(part.at))).join('');

/** An instant in words that say their zone, for texts whose reader is not known: `2026-11-24 08:42 UTC`. */
export const utcWords = (at: string): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
