import { expect, it } from 'vitest';
import { createLeftPlaces } from './left-places.ts';

const place = (href: string) => ({ href, nth: 0, isRow: false });

it('remembers where the focus was when a page was last left', () => {
  const places = createLeftPlaces();
  places.leave('fleet', place('/fleet/a'));
  places.leave('logs', place('/traces/b'));
  expect([places.placeOf('fleet'), places.placeOf('logs'), places.placeOf('map')]).toEqual([
    place('/fleet/a'),
    place('/traces/b'),
    undefined,
  ]);
  places.leave('fleet', undefined);
  expect(places.placeOf('fleet')).toBeUndefined();
});

it('forgets the page left longest ago once there are 100', () => {
  const places = createLeftPlaces();
  for (let page = 0; page < 100; page += 1) places.leave(`page ${page}`, place(`/fleet/${page}`));
  places.leave('page 0', place('/fleet/again'));
  places.leave('page 100', place('/fleet/100'));
  expect(places.placeOf('page 0')).toEqual(place('/fleet/again'));
  expect(places.placeOf('page 1')).toBeUndefined();
  expect(places.placeOf('page 2')).toEqual(place('/fleet/2'));
});
