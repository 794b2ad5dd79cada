import { formatMs, formatPercent, joinWords, withUnit } from '../words/figures.ts';
import { createVerdictWords, faultSentence, leadWords } from '../words/verdict-words.ts';
import { isCovered, isMeasuring } from './fault.ts';
import { isLoss, type JudgedMeasure } from './measures.ts';
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
    case 'wifi_busy_ratio':
      return `channel busy ${formatPercent(value)}`;
    case 'wifi_retry_ratio':
      return `${formatPercent(value)} sent again`;
    case 'gateway_loss_ratio':
    case 'lan_loss_ratio':
    case 'isp_loss_ratio':
    case 'session_loss_ratio':
    case 'beyond_loss_ratio':
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
  if (isLoss(measure) || measure === 'wifi_busy_ratio' || measure === 'wifi_retry_ratio') return `limit ${formatPercent(limit)}`;
  if (measure === 'wifi_snr_db') return `limit ${withUnit(limit, 'dB')}`;
  return `limit ${measureWords({ measure, value: limit, limit, samples: null, failed: null, target: null })}`;
}

const since = (facts: VerdictFacts): SentencePart[] => (facts.since === null ? [] : [' since ', { at: facts.since }]);
/** "does not answer", and with a beginning "has not answered since 08:42". */
const lasting = (facts: VerdictFacts, verb: { now: string; since: string }): SentencePart[] => [
  facts.since === null ? verb.now : verb.since,
  ...since(facts),
];
const SILENT = { now: 'does not answer', since: 'has not answered' };
/** "answers in 45 ms", and with a beginning "has been taking 45 ms to answer since 08:42". */
const taking = (facts: VerdictFacts, decided: JudgedMeasure): SentencePart[] => {
  const figure = measureWords(decided);
  return lasting(facts, { now: `answers in ${figure}`, since: `has been taking ${figure} to answer` });
};

const lostWords = (decided: JudgedMeasure): string =>
  decided.samples === null
    ? `lost ${formatPercent(decided.value)} of its probes`
    : `lost ${decided.failed} of ${decided.samples} probes (${formatPercent(decided.value)})`;

const others = ({ measure, samples, failed }: JudgedMeasure): string =>
  (measure === 'sessions_failed' || measure === 'session_total_ms') && samples !== null && samples > 1
    ? ` (${failed} of ${samples} services ${failed === 1 ? 'is' : 'are'} ${measure === 'sessions_failed' ? 'affected' : 'slow'})`
    : '';

/** What is wrong, without its full stop. */
function faultParts(facts: VerdictFacts, decided: JudgedMeasure): SentencePart[] {
  const { measure } = decided;
  const target = decided.target ?? 'A service';
  switch (measure) {
    case 'wifi_rssi_dbm':
    case 'wifi_signal_percent':
      return [`signal near ${measureWords(decided)}`, ...since(facts), ', too weak for a fast connection'];
    case 'wifi_snr_db':
      return [`the signal is only ${measureWords(decided)}`, ...since(facts)];
    case 'gateway_answers':
      return ['the gateway ', ...lasting(facts, SILENT)];
    case 'wifi_busy_ratio':
    case 'wifi_retry_ratio':
      return [measureWords(decided), ...since(facts)];
    case 'gateway_loss_ratio':
      return [`the gateway ${lostWords(decided)}`, ...since(facts)];
    case 'gateway_rtt_ms':
      return ['the gateway ', ...taking(facts, decided)];
    case 'lan_loss_ratio':
      return [`a private router behind the gateway ${lostWords(decided)}`, ...since(facts)];
    case 'lan_rtt_ms':
      return ['a private router behind the gateway ', ...taking(facts, decided)];
    case 'isp_loss_ratio':
      return [`its first router and those behind it ${lostWords(decided)}`, ...since(facts)];
    case 'isp_rtt_ms':
      return ['its first router ', ...taking(facts, decided)];
    case 'sessions_failed':
      return [`${target} `, ...lasting(facts, SILENT), others(decided)];
    case 'session_loss_ratio':
      return [`the way to ${target} ${lostWords(decided)}`, ...since(facts)];
    default:
      return [`${target} `, ...taking(facts, decided), others(decided)];
  }
}

const ENGLISH = createVerdictWords('en', { ms: formatMs, percent: formatPercent, withUnit });
/** Stands for the instant in a sentence until it is cut into parts. */
const INSTANT = '\u0001';

/** In the middle of a sentence; a name keeps its letters. */
const lowered = (text: string, name: string | null): string =>
  name !== null && text.startsWith(name) ? text : text.charAt(0).toLowerCase() + text.slice(1);

/** The sentence of a fault, without its full stop. */
function kindParts(facts: VerdictFacts, isInner: boolean): SentencePart[] {
  const { fault, decided } = facts;
  if (fault === null) return [];
  const at = facts.since;
  const text = faultSentence(ENGLISH, fault, { decided, since: at === null ? '' : `since ${INSTANT}` }).replace(/\.$/, '');
  const [before = '', after] = (isInner ? lowered(text, fault.target) : text).split(INSTANT);
  if (at === null || after === undefined) return [before];
  return [before, { at }, ...(after === '' ? [] : [after])];
}

const flipWords = ({ flips }: VerdictFacts): string => (flips >= MANY_FLIPS ? ` ${ENGLISH.t('flips', { n: flips })}` : '');
/** Once there and once back is no coming and going. */
const MANY_FLIPS = 3;

/** What is wrong with something else, behind the sentence of the first fault. */
const alsoWords = ({ also }: VerdictFacts): string =>
  also === null ? '' : ` ${ENGLISH.t('also', { fault: faultSentence(ENGLISH, also, { decided: null, since: '' }) })}`;

/** Nothing is slow: whether all was looked at, and whether something is off all the same. */
function calmSentence(facts: VerdictFacts): SentencePart[] {
  const { fault, coverage } = facts;
  if (fault !== null)
    return [`${ENGLISH.t('notice.title')}. `, ...kindParts(facts, false), `.${alsoWords(facts)}${flipWords(facts)}`];
  const figures = healthyFigures(facts);
  const proof = figures.length > 0 ? `: ${figures.join(', ')}.` : '.';
  if (coverage === null || isCovered(coverage))
    return [figures.length > 0 ? `Healthy${proof}` : 'Healthy: nothing that was measured is slow.'];
  const [n, of] = [coverage.measured.filter((one) => coverage.needed.includes(one)).length, coverage.needed.length];
  const key = isMeasuring(coverage) ? 'measuring.detail' : 'partial.detail';
  return [`${ENGLISH.t(key, { n, of }).replace(/\.$/, '')}${proof}`];
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
  const { cause, decided, fault } = facts;
  if (cause === 'none') return calmSentence(facts);
  if (decided === null && fault === null)
    return [LEADS[cause], ...since(facts), `.${cause === 'unknown' ? '' : fineBefore(facts)}`];
  const isInner = cause !== 'unknown';
  const parts = fault
    ? [...kindParts(facts, isInner), ...(decided ? [others(decided)] : [])]
    : decided
      ? faultParts(facts, decided)
      : [];
  const what = parts.filter((part) => part !== '');
  if (!isInner) {
    const isYetToCome = facts.coverage?.measuring?.includes('isp') === true;
    if (isYetToCome) return [`${LEADS.unknown}. `, ...what, `. ${ENGLISH.t('measuring.unseen')}`];
    return [`${LEADS.unknown}. `, ...what, ', and the path there cannot be seen from here.'];
  }
  const lead = leadWords(ENGLISH, fault) ?? LEADS[cause];
  return [`${lead}: `, ...what, `.${cause === 'wifi' ? '' : fineBefore(facts)}${alsoWords(facts)}${flipWords(facts)}`];
}

/** The sentence as text, its instants in the given words. */
export const sentenceText = (parts: readonly SentencePart[], say: (at: string) => string): string =>
  parts.map((part) => (typeof part === 'string' ? part : say(part.at))).join('');

/** An instant in words that say their zone, for texts whose reader is not known: `2026-11-24 08:42 UTC`. */
export const utcWords = (at: string): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
