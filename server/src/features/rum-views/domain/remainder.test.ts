import type { BrowserRow, VitalFigure } from '@svc/contracts/rum/views';
import { expect, it } from 'vitest';
import { remainderOf } from './remainder.ts';

const vital = (name: VitalFigure['vital'], p75: number, usual: number | null): VitalFigure => ({
  ...{ vital: name, views: 340, sufficient: true, p75, usual_p75: usual, rating: 'poor', shares: null, good_to: 0, poor_from: 0 },
});
const browser = (name: BrowserRow['browser'], lcp: number | undefined, views = 60): BrowserRow => ({
  ...{ browser: name, views, sufficient: views >= 20, error_rate: 0, failed_requests: 0, lcp_shares: null },
  p75: lcp === undefined ? {} : { lcp },
});
const users = { by: ['lcp' as const], degraded: true, lcp_ms_from: 4000 };
const say = (vitals: VitalFigure[], browsers: BrowserRow[] = []) => remainderOf({ vitals, browsers, users });

it.each<[string, VitalFigure[], string]>([
  ['slower than usual', [vital('ttfb', 3600, 420)], 'They wait for the first byte: 3.6 s, usually 0.42 s.'],
  ['as usual', [vital('ttfb', 500, 480)], 'The first byte comes as usual, after 0.50 s: what comes after it is slow.'],
  [
    'as usual, and always most of it',
    [vital('ttfb', 3800, 3700), vital('lcp', 4200, 4100)],
    'The first byte comes as usual, after 3.8 s, which is most of the wait.',
  ],
  ['without anything usual', [vital('ttfb', 500, null)], 'The first byte comes after 0.50 s.'],
])('a first byte that is %s', (_, vitals, words) => expect(say(vitals)).toBe(words));

it.each<[string, BrowserRow[], string]>([
  ['all of them', [browser('chrome', 5000), browser('firefox', 4500)], 'It is so in all browsers.'],
  [
    'those of which enough views tell',
    [browser('chrome', 5000), browser('edge', 4500), browser('safari', undefined), browser('firefox', 9000, 3)],
    'It is so in Chrome and Edge; of other browsers too few views tell.',
  ],
  [
    'one and not another',
    [browser('chrome', 5000), browser('firefox', 1500), browser('safari', undefined)],
    'It is so in Chrome, and not in Firefox.',
  ],
  ['one alone', [browser('chrome', 5000), browser('safari', undefined)], ''],
])('is said of browsers: %s', (_, browsers, words) => expect(say([], browsers)).toBe(words));

it('says nothing where users hurt by errors alone', () => {
  expect(remainderOf({ vitals: [vital('ttfb', 3600, 420)], browsers: [], users: { ...users, by: [] } })).toBe('');
});
