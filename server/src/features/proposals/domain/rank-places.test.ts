import { expect, it } from 'vitest';
import { type Observation, rankPlaces } from './rank-places.ts';

const seen = (source: Observation['source'], target: string, more: Partial<Observation> = {}): Observation => ({
  ...{ source, target, count: 1, failed: 0 },
  ...more,
});
const none = { tested: new Set<string>(), dismissed: new Set<string>() };

it('is one a host, with what each plane saw, what hurts first', () => {
  const { places } = rankPlaces(
    [
      seen('map', 'db.example', { port: 5432, count: 90_000 }),
      seen('sessions', 'https://crm.example/app', { count: 200, failed: 50 }),
      seen('users', 'crm.example'),
      seen('incident', 'pay.example'),
      seen('names', 'old.example', { count: 10, failed: 9 }),
    ],
    none,
  );
  expect(places.map(({ type, target }) => [type, target])).toEqual([
    ['icmp', 'pay.example'],
    ['dns', 'old.example'],
    ['https', 'https://crm.example/app'],
    ['tcp', 'db.example:5432'],
  ]);
  expect(places[2]?.evidence.map(({ source }) => source)).toEqual(['users', 'sessions']);
  // An app names its hosts before anybody has visited them.
  expect(places[2]?.evidence[0]?.sentence).toBe('1 app of real users names it.');
  expect(places[2]?.evidence[1]?.sentence).toBe('200 devices measure it, and it fails on 50 of them.');
});

it('leaves out what has a test in any spelling, what was dismissed, and what is no host', () => {
  const all = [
    seen('users', 'Shop.Example'),
    seen('map', 'orders'),
    seen('map', 'ops.example'),
    seen('sessions', 'https://a b/'),
  ];
  const { places, dismissed } = rankPlaces(all, {
    tested: new Set(['shop.example']),
    dismissed: new Set(['ops.example', 'gone.example']),
  });
  expect({ places, dismissed }).toEqual({ places: [], dismissed: ['ops.example'] });
});

it('gives so many at most, and the same whatever the order', () => {
  const all = Array.from({ length: 50 }, (_, n) => seen('sessions', `https://s${n}.example/`, { count: n + 1 }));
  const { places } = rankPlaces(all, none);
  expect(places).toHaveLength(20);
  expect(places[0]?.host).toBe('s49.example');
  expect(rankPlaces(all.toReversed(), none).places).toEqual(places);
});

it('lists hosts of certificates that end soon, and services where they answer', () => {
  const { places } = rankPlaces(
    [
      seen('certificate', 'www.shop.example', { days: 9 }),
      seen('certificate', '*.shop.example', { days: 9 }),
      seen('map', 'https://pay.svc.example:8443/', { service: 'payments', count: 40, failed: 2 }),
      seen('map', 'mq.svc.example', { service: 'queue', port: 5672, count: 4 }),
    ],
    none,
  );
  expect(places.map(({ type, target, reason }) => [type, target, reason])).toEqual([
    ['https', 'https://www.shop.example/', 'A certificate for it, which a test saw elsewhere, ends in 9 days.'],
    [
      ...['https', 'https://pay.svc.example:8443/'],
      'The service payments answers there: 40 calls within a quarter of an hour, 2 calls failed.',
    ],
    ['tcp', 'mq.svc.example:5672', 'The service queue answers there: 4 calls within a quarter of an hour.'],
  ]);
  const wordsOf = (days: number) => rankPlaces([seen('certificate', 'a.example', { days })], none).places[0]?.reason;
  expect([-2, 0, 1].map(wordsOf)).toEqual([
    'A certificate for it, which a test saw elsewhere, has ended.',
    'A certificate for it, which a test saw elsewhere, ends within a day.',
    'A certificate for it, which a test saw elsewhere, ends in 1 day.',
  ]);
});

it('asks no address with who signs in or what was asked for', () => {
  const { places } = rankPlaces([seen('sessions', 'https://ann:x@crm.example/app?token=1#2')], none);
  expect(places[0]?.target).toBe('https://crm.example/app');
});
