import { describe, expect, it, test } from 'vitest';
import { anchorsOf } from '#kernel';
import { anchorOf } from './anchor.ts';
import { type RankedChange, rank, tellScore } from './rank.ts';
import { placeOf } from './topology.ts';

const HOUR = 3_600_000;
const WINDOW = 24 * HOUR;
const START = Date.UTC(2026, 5, 2, 12);

interface About {
  target?: string;
  prefix?: string;
  attributes?: Record<string, string>;
}
const incident = (...about: About[]) => ({
  startedMs: START,
  place: placeOf(about.flatMap((one) => anchorsOf({ attributes: {}, ...one }))),
});
let numbers = 0;
const change = (about: { target?: string; prefix?: string; minutesBefore?: number }): RankedChange => {
  const { anchor, prefix } = anchorOf({ target: about.target ?? null, prefix: about.prefix ?? null });
  return { number: ++numbers, anchor, prefix, occurredMs: START - (about.minutesBefore ?? 0) * 60_000 };
};
const score = (of: ReturnType<typeof incident>, about: Parameters<typeof change>[0]) => {
  const [first] = rank(of, [change(about)], WINDOW).ranked;
  return first && Number(first.score.toFixed(3));
};

/** Incident, change, score; undefined: dropped. */
const CASES: readonly [string, About, Parameters<typeof change>[0], number | undefined][] = [
  ['the example of the documentation', { target: 'shop.example' }, { target: 'shop.example', minutesBefore: 11 }, 0.997],
  ['the same target at the start', { target: 'shop.example' }, { target: 'shop.example' }, 1],
  ['another spelling', { target: 'https://Shop.Example./cart' }, { target: 'SHOP.example:443' }, 1],
  ['one window earlier', { target: 'shop.example' }, { target: 'shop.example', minutesBefore: 1440 }, 0.6],
  ['a minute beyond the window', { target: 'shop.example' }, { target: 'shop.example', minutesBefore: 1441 }, undefined],
  ['in the grace behind the start', { target: 'shop.example' }, { target: 'shop.example', minutesBefore: -5 }, 1],
  ['beyond the grace', { target: 'shop.example' }, { target: 'shop.example', minutesBefore: -5.1 }, undefined],
  ['half a window', { target: 'shop.example' }, { target: 'shop.example', minutesBefore: 720 }, 0.8],
  ['another host', { target: 'shop.example' }, { target: 'pay.example' }, undefined],
  ['a host below the other', { target: 'shop.example' }, { target: 'a.shop.example' }, undefined],
  ['an address inside the prefix', { prefix: '203.0.113.0/24' }, { target: '203.0.113.9' }, 0.88],
  ['an address outside of it', { prefix: '203.0.113.0/24' }, { target: '203.0.114.9' }, undefined],
  ['a mapped address inside', { prefix: '203.0.113.0/24' }, { target: '::ffff:203.0.113.9' }, 0.88],
  ['an address of IPv6 inside', { prefix: '2001:db8::/32' }, { target: '[2001:DB8:0:1::5]:443' }, 0.88],
  ['families apart', { prefix: '203.0.113.0/24' }, { target: '2001:db8::1' }, undefined],
  ['the same prefix', { prefix: '203.0.113.0/24' }, { prefix: '203.0.113.77/24' }, 0.82],
  ['a wider prefix', { prefix: '203.0.113.0/24' }, { prefix: '203.0.0.0/16' }, 0.82],
  ['a narrower prefix', { prefix: '203.0.113.0/24' }, { prefix: '203.0.113.128/25' }, 0.82],
  ['a prefix beside it', { prefix: '203.0.113.0/25' }, { prefix: '203.0.113.128/25' }, undefined],
  ['a default route', { prefix: '203.0.113.0/24' }, { prefix: '0.0.0.0/0' }, 0.82],
  ['a prefix of mapped addresses', { prefix: '203.0.113.0/24' }, { prefix: '::ffff:203.0.113.0/120' }, 0.82],
  ['a prefix around the address that fails', { target: '203.0.113.9' }, { prefix: '203.0.113.0/24' }, 0.82],
  ['private numbers, for a change has no site', { prefix: '10.1.0.0/16' }, { target: '10.1.2.3' }, 0.88],
  [
    'the address that data say of a target',
    { target: 'shop.example', attributes: { 'server.address': '203.0.113.9' } },
    { target: '203.0.113.9' },
    1,
  ],
  ['a service by its cluster name', { target: 'orders.shop.svc.cluster.local' }, { target: 'orders' }, 1],
  ['a service by its short name', { target: 'orders' }, { target: 'orders.shop.svc.cluster.local' }, 1],
  ['no target, of a targeted incident', { target: 'shop.example' }, {}, undefined],
  ['no target, of an untargeted incident', {}, {}, 0.4],
  ['no target, an hour before an untargeted incident', {}, { minutesBefore: 60 }, 0.383],
  ['a target, of an untargeted incident', {}, { target: 'shop.example' }, 0.4],
];

describe('scores', () => {
  it.each(CASES)('%s', (...[, about, given, wanted]) => expect(score(incident(about), given)).toBe(wanted));
});

test('target and prefix of one change: the better one counts', () => {
  const both = { target: 'shop.example', prefix: '203.0.113.0/24' };
  expect(score(incident({ prefix: '203.0.113.0/24' }), both)).toBe(0.82);
  expect(score(incident({ target: 'shop.example' }, { prefix: '203.0.113.0/24' }), both)).toBe(1);
});

test('equal scores have an order: the later one, then the greater number', () => {
  const of = incident({ target: 'shop.example' });
  const [a, b, c] = [{ minutesBefore: -1 }, { minutesBefore: -2 }, { minutesBefore: -2 }].map((one) =>
    change({ target: 'shop.example', ...one }),
  );
  const wanted = [c, b, a].map((one) => one?.number);
  for (const given of [
    [a, b, c],
    [c, a, b],
    [b, c, a],
  ])
    expect(rank(of, given as RankedChange[], WINDOW).ranked.map((one) => one.change.number)).toEqual(wanted);
});

test('what was dropped is counted by its reason', () => {
  const given = [
    change({ target: 'pay.example' }),
    change({}),
    change({ target: 'shop.example', minutesBefore: 2000 }),
    change({ target: 'shop.example' }),
  ];
  expect(rank(incident({ target: 'shop.example' }), given, WINDOW)).toMatchObject({
    elsewhere: 1,
    untargeted: 1,
    outOfTime: 1,
    ranked: [{}],
  });
});

test('a score is told in words and numbers', () => {
  const told = (about: About, given: Parameters<typeof change>[0]) => {
    const [first] = rank(incident(about), [change(given)], WINDOW).ranked;
    return first && tellScore(first);
  };
  expect(told({ target: 'shop.example' }, { target: 'shop.example', minutesBefore: 11 })).toBe(
    'exact target 1.0 x 0.6 + 11 minutes before x 0.4 = 0.997',
  );
  expect(told({ prefix: '203.0.113.0/24' }, { target: '203.0.113.9', minutesBefore: 180 })).toBe(
    'address inside the prefix 0.8 x 0.6 + 3 hours before x 0.4 = 0.830',
  );
  expect(told({ prefix: '203.0.113.0/24' }, { prefix: '203.0.0.0/16', minutesBefore: -2 })).toBe(
    'overlapping prefixes 0.7 x 0.6 + 2 minutes after its start x 0.4 = 0.820',
  );
  expect(told({}, {})).toBe('no target 0.0 x 0.6 + at its start x 0.4 = 0.400');
});
