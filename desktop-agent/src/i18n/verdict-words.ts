import type { FaultView, ServiceState, VerdictView } from '@svc/contracts/agent/ipc';
import { blamedBefore } from '@svc/contracts/judged/read-verdict';
import type { Cause } from '@svc/contracts/verdict';
import { sinceWords } from './moments.ts';
import type { MessageKey, Words } from './words.ts';

/** What a person reads first: a title of a few words and what proves it. */
export interface Sentence {
  title: string;
  detail: string;
}

/** A target as a person names it: no scheme, no bare slash. Letters of other scripts stay as somebody chose to write them. */
export const targetName = (target: string): string => target.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').replace(/\/$/, '');

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

function faultSentence(words: Words, fault: FaultView, since: string): string {
  const { t } = words;
  switch (fault.kind) {
    case 'weak_signal':
      return t('fault.weak_signal', { since, rssi: words.withUnit(fault.rssiDbm, 'dBm') });
    case 'weak_signal_percent':
      return t('fault.weak_signal_percent', { since, signal: words.withUnit(fault.signalPercent, '%') });
    case 'noise':
      return t('fault.noise', { since, rssi: words.withUnit(fault.rssiDbm, 'dBm'), snr: words.withUnit(fault.snrDb, 'dB') });
    case 'gateway_silent':
      return t('fault.gateway_silent', { since });
    case 'gateway_loss':
    case 'isp_loss': {
      const { lost, sent } = fault.loss;
      return t(`fault.${fault.kind}`, { since, lost, sent, percent: words.percent(sent > 0 ? lost / sent : 0) });
    }
    case 'gateway_slow':
    case 'isp_slow':
      return t(`fault.${fault.kind}`, { since, rtt: words.ms(fault.rttMs) });
    case 'session_failed':
      return t('fault.session_failed', { since, target: targetName(fault.target) });
    case 'session_slow':
      return t('fault.session_slow', { since, target: targetName(fault.target), total: words.ms(fault.totalMs) });
  }
}

/** The layers that were judged and do not carry the fault, those in front of it: the reader need not look there. */
function fineSentence(words: Words, verdict: VerdictView): string {
  const blamed = verdict.cause === 'unknown' ? 'network' : verdict.cause;
  const fine = verdict.layers.filter(
    (layer) => layer.score !== null && layer.layer !== blamed && blamedBefore(verdict.cause, layer.layer) === null,
  );
  if (fine.length === 0) return '';
  const list = words.list(fine.map(({ layer }) => words.t(`fine.${layer}`)));
  return capital(words.t('fine', { n: fine.length, list }));
}

function healthyDetail(words: Words, verdict: VerdictView): string {
  const judged = verdict.layers.filter((layer) => layer.score !== null).length;
  return judged === verdict.layers.length ? words.t('healthy.all') : words.t('healthy.some', { n: judged });
}

/** Title and proof of a verdict: number, unit, since when, and what is fine as well. */
export function verdictSentence(words: Words, verdict: VerdictView, nowMs: number): Sentence {
  const title = words.t(`title.${verdict.cause}`);
  if (verdict.cause === 'none') return { title, detail: healthyDetail(words, verdict) };
  const since = sinceWords(words, verdict.sinceMs, nowMs);
  const { fault } = verdict;
  const services = fault && 'of' in fault && fault.of > 1 ? words.t('fault.others', { n: fault.slow, of: fault.of }) : '';
  const parts = [
    fault ? faultSentence(words, fault, since) : words.t('fault.none', { since }),
    services,
    verdict.cause === 'unknown' && fault ? words.t('fault.unseen') : '',
    fineSentence(words, verdict),
  ];
  return { title, detail: parts.filter((part) => part !== '').join(' ') };
}

/** One thing that the reader can do, with its reason. */
export function suggestion(words: Words, verdict: VerdictView | null, context: ServiceState['context']): string {
  const key: MessageKey = suggestionKey(verdict, context);
  return words.t(key as 'try.healthy');
}

function suggestionKey(verdict: VerdictView | null, context: ServiceState['context']): MessageKey {
  if (context.captivePortal) return 'try.captive';
  if (verdict === null) return 'try.nothing';
  if (verdict.cause === 'none') return 'try.healthy';
  if (verdict.cause === 'unknown' || verdict.fault === null) return 'try.unknown';
  return `try.${verdict.fault.kind}`;
}

/** The layer's name for a tile or a list. */
export const causeName = (words: Words, cause: Cause): string => words.t(`cause.${cause}`);
