import type { BrowserRow, VitalFigure } from '@svc/contracts/rum/views';
import type { Users } from './judge.ts';
import { seconds } from './words.ts';

interface Parts {
  vitals: readonly VitalFigure[];
  browsers: readonly BrowserRow[];
  users: Pick<Users, 'by' | 'degraded' | 'lcp_ms_from'>;
}

/** So much slower than usual that somebody notices. */
const isSlower = (value: number, usual: number): boolean => value >= usual * 1.5 && value - usual >= 300;

function firstByteWords({ vitals }: Parts): string {
  const p75Of = (wanted: string): VitalFigure | undefined => vitals.find(({ vital }) => vital === wanted);
  const ttfb = p75Of('ttfb');
  if (!ttfb || ttfb.p75 === null) return '';
  const { p75, usual_p75: usual } = ttfb;
  if (usual === null) return `The first byte comes after ${seconds(p75)}.`;
  if (isSlower(p75, usual)) return `They wait for the first byte: ${seconds(p75)}, usually ${seconds(usual)}.`;
  const asUsual = `The first byte comes as usual, after ${seconds(p75)}`;
  const lcp = p75Of('lcp')?.p75 ?? null;
  return lcp !== null && p75 * 2 >= lcp ? `${asUsual}, which is most of the wait.` : `${asUsual}: what comes after it is slow.`;
}

const nameOf = (browser: string): string => browser.charAt(0).toUpperCase() + browser.slice(1);
const namesOf = (browsers: readonly BrowserRow[]): string => browsers.map(({ browser }) => nameOf(browser)).join(' and ');

/** Of two browsers or more that enough views with LCP are of; of the others nothing is known. */
function browserWords({ browsers, users }: Parts): string {
  const judged = browsers.filter(({ sufficient, p75 }) => sufficient && p75.lcp !== undefined);
  const isSlow = ({ p75 }: BrowserRow): boolean => (p75.lcp ?? 0) >= users.lcp_ms_from;
  const slow = judged.filter(isSlow);
  if (judged.length < 2 || slow.length === 0) return '';
  const isInAll = slow.length === judged.length;
  if (isInAll && judged.length === browsers.length) return ' It is so in all browsers.';
  if (isInAll) return ` It is so in ${namesOf(slow)}; of other browsers too few views tell.`;
  return ` It is so in ${namesOf(slow)}, and not in ${namesOf(judged.filter((one) => !isSlow(one)))}.`;
}

/** What else is so where users hurt by waiting; empty where nothing more can be said. */
export function remainderOf(parts: Parts): string {
  if (!parts.users.degraded || !parts.users.by.includes('lcp')) return '';
  return `${firstByteWords(parts)}${browserWords(parts)}`.trim();
}
