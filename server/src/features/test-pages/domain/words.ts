import type { Phase } from '@svc/contracts/tests/run-report';
import type { TestSpec } from '@svc/contracts/tests/test';

/** Words that sentences about tests are made of. */

const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  dns: 'DNS',
  connect: 'connect',
  tls: 'the TLS handshake',
  first_byte: 'the first byte',
  transfer: 'the transfer',
};
const PAGE_WORDS: Readonly<Record<Phase, string>> = { ...PHASE_WORDS, transfer: 'the load' };

/** A test of a whole page: what it transfers last is its load. */
export const isPage = ({ type }: Pick<TestSpec, 'type'>): boolean => type === 'browser';

/** As the subject of a sentence. */
export const phaseSubject = (phase: Phase, ofPage: boolean): string => (ofPage ? PAGE_WORDS : PHASE_WORDS)[phase];
/** In a list, without its article. */
export const phaseName = (phase: Phase, ofPage: boolean): string =>
  phaseSubject(phase, ofPage).replace(/^the (?:TLS handshake)?/, (text) => (text === 'the ' ? '' : 'TLS'));

/** 18 ms, 3.1 s, 75 s. */
export function timeWords(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 9950 ? `${Number((ms / 1000).toFixed(1))} s` : `${Math.round(ms / 1000)} s`;
}

/** An instant within a sentence, for whoever shows it to put it on the viewer's clock. */
export const instantWords = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The same sentence for where nobody's clock is known, as in a message: "14:04 UTC". */
export const wordInstants = (sentence: string, nowMs: number): string =>
  sentence.replace(INSTANT, (at) => momentWords(Date.parse(at), nowMs));

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** 14:04 UTC, with its day where that is not the last 24 hours. */
export function momentWords(ms: number, nowMs: number): string {
  const date = new Date(ms);
  const time = `${date.toISOString().slice(11, 16)} UTC`;
  if (Math.abs(nowMs - ms) < 86_400_000) return time;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${time}`;
}

/** a; a and b; a, b and c; with more than `most`, how many others. */
export function listWords(items: readonly string[], most = 3): string {
  const shown = items.length > most ? [...items.slice(0, most - 1), `${items.length - most + 1} others`] : items;
  if (shown.length < 2) return shown[0] ?? '';
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
