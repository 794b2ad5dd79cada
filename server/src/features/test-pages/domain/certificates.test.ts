import { expect, it } from 'vitest';
import { shownCertificates } from './certificates.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-26T12:00:00Z');
const head = (runnerId: string, seenDaysAgo: number | undefined, lastDaysAgo = 0) => ({
  runnerId,
  lastAtMs: NOW - lastDaysAgo * DAY_MS,
  certificateEndsMs: seenDaysAgo === undefined ? undefined : NOW + 5 * DAY_MS,
  certificateSeenMs: seenDaysAgo === undefined ? undefined : NOW - seenDaysAgo * DAY_MS,
});
const shownBy = (...heads: ReturnType<typeof head>[]) => shownCertificates(heads).map(({ runnerId }) => runnerId);

it('shows the certificate that was seen last first, whichever runner ran last', () => {
  expect(shownBy(head('b', 0.2), head('a', 0.1, 0.1), head('none', undefined))).toEqual(['a', 'b']);
});

it('shows none that two days of runs have not seen, as those of a test that asks another host since', () => {
  expect(shownBy(head('a', 2.1), head('b', 1.9))).toEqual(['b']);
});

it('shows what the last runs of a paused test saw', () => {
  expect(shownBy(head('a', 30, 30))).toEqual(['a']);
});
