import { expect, test } from 'vitest';
import { allChoices, allWalks, CHOICES, fewWalks, pairwiseChoices } from './walks.ts';

const ROUTES = ['/', '/fleet', '/fleet/$id', '/logs', '/traces/$id', ...Array.from({ length: 40 }, (_, i) => `/later-${i}`)];

test('the choice holds every pair of values in few walks', () => {
  const chosen = pairwiseChoices();
  const names = Object.keys(CHOICES) as (keyof typeof CHOICES)[];
  for (const a of names)
    for (const b of names.slice(names.indexOf(a) + 1))
      for (const first of CHOICES[a])
        for (const second of CHOICES[b])
          expect(chosen.filter((choice) => choice[a] === first && choice[b] === second)).not.toHaveLength(0);
  // Ways out by troubles are 20 pairs, and no walk holds two of them.
  expect(chosen.length).toBeLessThanOrEqual(24);
});

test('every route is walked, however many there are, and a breadcrumb is left for pages that have one', () => {
  const walks = fewWalks(ROUTES);
  expect(new Set(walks.map(({ route }) => route))).toEqual(new Set(ROUTES));
  for (const { route, wayOut } of walks) if (wayOut === 'breadcrumb') expect(route).toContain('$');
});

test('all walks are each combination once, in the same mixed order every time', () => {
  const walks = allWalks(ROUTES.slice(0, 5));
  expect(walks).toHaveLength(5 * allChoices().length);
  expect(new Set(walks.map((walk) => JSON.stringify(walk))).size).toBe(walks.length);
  expect(allWalks(ROUTES.slice(0, 5))).toEqual(walks);
  expect(new Set(walks.slice(0, 100).map(({ route }) => route)).size).toBe(5);
});
