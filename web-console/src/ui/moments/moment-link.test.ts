import { expect, it } from 'vitest';
import { searchAround } from './moment-link.ts';

const NOW = Date.parse('2026-11-21T14:07:00Z');

it('shows half an hour around a moment, in the shortest strip that has it', () => {
  const hoursAgo = (hours: number) => searchAround(NOW - hours * 3_600_000, NOW);
  expect(hoursAgo(2)).toEqual({ from: '2026-11-21T11:50:00Z', to: '2026-11-21T12:20:00Z' });
  expect(hoursAgo(0)).toEqual({ from: '2026-11-21T13:50:00Z', to: '2026-11-21T14:10:00Z' });
  expect(hoursAgo(30)).toMatchObject({ range: '7d', from: '2026-11-20T07:50:00Z' });
  expect(hoursAgo(24 * 9)).toEqual({ range: '7d' });
});
