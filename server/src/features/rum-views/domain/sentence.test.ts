import { expect, it } from 'vitest';
import { judgeTests, judgeUsers, verdictOf } from './judge.ts';
import { overviewSentence, type Said, sentenceOf, shortSentence } from './sentence.ts';

const CHECKOUT = { id: '018f3c1e-7d7a-7c3e-9f64-0242ac120002', name: 'shop checkout', runs: 15, failed: 12 };

interface Given {
  views?: number;
  lcpViews?: number;
  ran?: Partial<{ runs: number; failed: number }>;
  hurt?: number;
  lcp?: number;
  runs?: [passed: number, failed: number];
  state?: Said['state'];
}

function say({ views = 340, hurt = 0, lcp = 1900, lcpViews, ran = {}, runs, state = 'judged' }: Given): Said {
  const users = judgeUsers({ views, hurt, affected: hurt, p75LcpMs: lcp, lcpViews });
  const failing = runs && runs[1] > 0 ? [{ ...CHECKOUT, ...ran }] : [];
  const tests = judgeTests(runs && { passed: runs[0], failed: runs[1], failing });
  return { host: 'shop.example', state, verdict: verdictOf(users, tests), users, tests };
}

it.each<[Given, string]>([
  [
    { lcp: 5200, runs: [3, 12] },
    'Users of shop.example hurt: p75 LCP 5.2 s over 340 views, and the test “shop checkout” fails too.',
  ],
  [{ lcp: 5200, runs: [15, 0] }, 'Users of shop.example hurt: p75 LCP 5.2 s over 340 views, and no test sees it.'],
  [
    { lcp: 9000, views: 25, lcpViews: 1, runs: [15, 0] },
    'Users of shop.example hurt: p75 LCP 9.0 s over 1 of 25 views, and no test sees it.',
  ],
  [
    { lcp: 4100, hurt: 51, lcpViews: 331, runs: [15, 0] },
    'Users of shop.example hurt: p75 LCP 4.1 s over 331 and errors in 15 %, 51 of 340 views, and no test sees it.',
  ],
  [{ views: 25, lcpViews: 3, runs: [15, 0] }, 'Users of shop.example are fine: errors in 0 % over 25 views.'],
  [
    { lcp: 5200, runs: [0, 0] },
    'Users of shop.example hurt: p75 LCP 5.2 s over 340 views, and no test of this host ran in these 15 minutes.',
  ],
  [
    { lcp: 5200, runs: [0, 1], ran: { runs: 1, failed: 1 } },
    'Users of shop.example hurt: p75 LCP 5.2 s over 340 views, and the one run of its tests failed, too few to tell.',
  ],
  [
    { lcp: 5200, runs: [9, 6], ran: { runs: 15, failed: 6 } },
    'Users of shop.example hurt: p75 LCP 5.2 s over 340 views, and 6 of 15 runs of tests fail, fewer than half.',
  ],
  [
    { lcp: 5200, runs: [15, 15], ran: { runs: 30, failed: 10 } },
    'Users of shop.example hurt: p75 LCP 5.2 s over 340 views, and 15 of 30 runs of tests fail too.',
  ],
  [
    { hurt: 51 },
    'Users of shop.example hurt: errors in 15 %, 51 of 340 views. No http, https or browser test watches this host.',
  ],
  [
    { lcp: 4100, hurt: 51, runs: [15, 0] },
    'Users of shop.example hurt: p75 LCP 4.1 s and errors in 15 %, 51 of 340 views, and no test sees it.',
  ],
  [
    { runs: [3, 12], hurt: 2 },
    'Users of shop.example are fine, though the test “shop checkout” fails: p75 LCP 1.9 s, errors in 0.6 % over 340 views.',
  ],
  [{ runs: [15, 0] }, 'Users of shop.example are fine: p75 LCP 1.9 s, errors in 0 % over 340 views.'],
  [
    { views: 9, state: 'too_few', runs: [0, 2] },
    'Too few views of shop.example to say anything: 9 of 20 in 15 minutes. Meanwhile the test “shop checkout” fails.',
  ],
  [{ views: 0, state: 'quiet' }, 'No beacon from shop.example in 15 minutes, which says nothing about its health.'],
  [{ views: 0, state: 'waiting' }, 'shop.example waits for its first beacon.'],
])('%j: %s', (given, sentence) => expect(sentenceOf(say(given))).toBe(sentence));

it('says in short what a page of something else there needs', () => {
  expect(shortSentence(say({ lcp: 5200 }))).toBe('Users hurt too: p75 LCP 5.2 s over 340 views.');
  expect(shortSentence(say({}))).toBe('Users are fine: p75 LCP 1.9 s, errors in 0 % over 340 views.');
  expect(shortSentence(say({ views: 3 }))).toBe('Too few views to say: 3 of 20 in 15 minutes.');
});

it('says the worst of all hosts first', () => {
  const [well, hurt] = [say({ runs: [9, 0] }), say({ lcp: 5200, runs: [0, 15] })];
  expect(overviewSentence([well, hurt, hurt])).toContain('hurt: p75 LCP 5.2 s');
  expect(overviewSentence([well, hurt, hurt])).toContain('Users of 1 more host hurt.');
  expect(overviewSentence([well, well])).toBe('Users of all 2 hosts with enough views are fine: 680 views in 15 minutes.');
  expect(overviewSentence([say({ views: 1 })])).toBe('Too few views of any host to say anything.');
  expect(overviewSentence([])).toBe('No page view yet.');
});
