import type { ServiceState, VerdictView } from '@svc/contracts/agent/ipc';
import { isCovered, isMeasuring } from '@svc/contracts/judged/fault';
import { blamedBefore } from '@svc/contracts/judged/read-verdict';
import type { Cause } from '@svc/contracts/verdict';
import { faultSentence, leadWords, remedyWords } from '@svc/contracts/words/verdict-words';
import { sinceWords } from './moments.ts';
import type { Words } from './words.ts';

/** What a person reads first: a title of a few words and what proves it. */
export interface Sentence {
  title: string;
  detail: string;
}

export { codeWords, plainTarget as targetName } from '@svc/contracts/words/verdict-words';

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

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

/** What choosing a target would add, where nobody chose one. */
const missingTarget = ({ layers }: VerdictView): boolean => layers.some(({ unavailable }) => unavailable === 'no_target');

function calmSentence(words: Words, verdict: VerdictView, since: string): Sentence {
  const { t } = words;
  const { coverage, fault } = verdict;
  if (fault !== null) {
    const detail = [faultSentence(words, fault, { decided: null, since }), alsoWords(words, verdict), flipWords(words, verdict)];
    return { title: t('notice.title'), detail: detail.filter((part) => part !== '').join(' ') };
  }
  if (isCovered(coverage)) return { title: t('title.none'), detail: t('healthy.all', { n: coverage.needed.length }) };
  const measured = { n: coverage.measured.length, of: coverage.needed.length };
  if (isMeasuring(coverage)) return { title: t('measuring.title'), detail: t('measuring.detail', measured) };
  const more = missingTarget(verdict) ? t('partial.target') : '';
  return { title: t('partial.title'), detail: `${t('partial.detail', measured)} ${more}`.trim() };
}

/** What is wrong with something else. */
const alsoWords = (words: Words, { also }: VerdictView): string =>
  also ? words.t('also', { fault: faultSentence(words, also, { decided: null, since: '' }) }) : '';

const MANY_FLIPS = 3;
const flipWords = (words: Words, { flips }: VerdictView): string => (flips >= MANY_FLIPS ? words.t('flips', { n: flips }) : '');

/** Sessions that are slow, of all that are judged. */
function servicesWords(words: Words, { decided }: VerdictView): string {
  const isOfSessions = decided?.measure === 'sessions_failed' || decided?.measure === 'session_total_ms';
  if (!decided || !isOfSessions || (decided.samples ?? 0) < 2) return '';
  return words.t('fault.others', { n: decided.failed ?? 0, of: decided.samples ?? 0 });
}

/** Title and proof of a verdict: number, unit, since when, and what is fine as well. */
export function verdictSentence(words: Words, verdict: VerdictView, nowMs: number): Sentence {
  const since = sinceWords(words, verdict.sinceMs, nowMs);
  const { cause, fault, decided } = verdict;
  if (cause === 'none') return calmSentence(words, verdict, since);
  const parts = [
    fault ? faultSentence(words, fault, { decided, since }) : words.t('fault.none', { since }),
    servicesWords(words, verdict),
    cause === 'unknown' && fault
      ? words.t(verdict.coverage.measuring?.includes('isp') ? 'measuring.unseen' : 'fault.unseen')
      : '',
    fineSentence(words, verdict),
    alsoWords(words, verdict),
    flipWords(words, verdict),
  ];
  const lead = cause === 'unknown' ? null : leadWords(words, fault);
  return { title: lead ?? words.t(`title.${cause}`), detail: parts.filter((part) => part !== '').join(' ') };
}

/** One thing that the reader can do, with its reason; it names who else can where the reader cannot. */
export function suggestion(words: Words, verdict: VerdictView | null, context: ServiceState['context']): string {
  const fault = verdict?.fault ?? null;
  if (fault) return remedyWords(words, fault);
  if (context.captivePortal) return words.t('try.captive_portal');
  if (verdict === null) return words.t('try.nothing');
  return words.t(verdict.cause === 'none' ? 'try.healthy' : 'try.unknown');
}

/** The layer's name for a tile or a list. */
export const causeName = (words: Words, cause: Cause): string => words.t(`cause.${cause}`);
