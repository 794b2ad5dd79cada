import { expect, it } from 'vitest';
import { countPlaces, readPlace } from './site-words.ts';

it('counts floors as floors, and the sites they belong to once', () => {
  const places = ['Lisbon, floor 1', 'Lisbon, floor 2', 'Lisbon, 3rd floor', 'Hamburg, Level B2', 'Toulouse'];
  expect(countPlaces(places)).toBe('3 sites, 4 floors');
  expect(countPlaces([...places, 'Toulouse, lab', 'Paris, Texas'])).toBe('4 sites, 4 floors');
  expect(countPlaces(['Toulouse'])).toBe('1 site');
  expect(countPlaces([])).toBe('');
});

it('takes nothing for a floor that does not say so', () => {
  expect(readPlace('Paris, Texas')).toEqual({ site: 'Paris, Texas', floor: undefined });
  expect(readPlace('Floor tiles Ltd')).toEqual({ site: 'Floor tiles Ltd', floor: undefined });
  expect(readPlace('Kraków, lab')).toEqual({ site: 'Kraków, lab', floor: undefined });
});
