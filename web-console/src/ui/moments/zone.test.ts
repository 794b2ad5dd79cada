import { describe, expect, it } from 'vitest';
import { createMoments, offsetWords, zoneWords } from './zone.ts';

const kolkata = createMoments('Asia/Kolkata');
const stJohns = createMoments('America/St_Johns');

describe('an instant in the zone of its viewer', () => {
  it('is another time of day, and may be another day', () => {
    const now = Date.parse('2026-11-24T02:00:00Z');
    expect(kolkata.moment('2026-11-24T01:10:00Z', now)).toBe('06:40');
    expect(stJohns.moment('2026-11-24T01:10:00Z', now)).toBe('21:40');
    expect(kolkata.moment('2026-11-23T18:00:00Z', now)).toBe('yesterday 23:30');
    expect(kolkata.moment('2026-11-23T19:00:00Z', now)).toBe('00:30');
    expect(stJohns.moment('2026-11-23T03:00:00Z', now)).toBe('yesterday 23:30');
    expect(stJohns.moment('2026-11-20T15:00:00Z', now)).toBe('20 Nov 11:30');
    expect(kolkata.clockSeconds('2026-11-24T01:10:09Z')).toBe('06:40:09');
  });

  it('has the year of the viewer’s calendar', () => {
    const now = Date.parse('2027-01-01T01:00:00Z');
    expect(kolkata.moment('2026-12-20T00:00:00Z', now)).toBe('20 Dec 2026 05:30');
    expect(stJohns.moment('2026-12-20T00:00:00Z', now)).toBe('19 Dec 20:30');
  });
});

describe('the day on which clocks are set back', () => {
  // 1 Nov 2026, 02:00 NDT (UTC-2:30) becomes 01:00 NST (UTC-3:30).
  const now = Date.parse('2026-11-01T15:00:00Z');

  it('shows an hour twice, and says which', () => {
    expect(stJohns.moment('2026-11-01T03:00:00Z', now)).toBe('00:30');
    expect(stJohns.moment('2026-11-01T04:00:00Z', now)).toBe('01:30 (UTC\u22122:30)');
    expect(stJohns.moment('2026-11-01T05:00:00Z', now)).toBe('01:30 (UTC\u22123:30)');
    expect(stJohns.moment('2026-11-01T06:00:00Z', now)).toBe('02:30');
    expect(kolkata.moment('2026-11-01T04:00:00Z', now)).toBe('09:30');
  });

  it('has a yesterday of its own length', () => {
    expect(stJohns.moment('2026-10-31T03:00:00Z', now)).toBe('yesterday 00:30');
    expect(stJohns.moment('2026-11-01T02:29:00Z', now)).toBe('yesterday 23:59');
    expect(stJohns.moment('2026-10-31T02:29:00Z', now)).toBe('30 Oct 23:59');
  });
});

it('jumps over the hour that clocks leave out in spring', () => {
  const now = Date.parse('2026-03-08T15:00:00Z');
  expect(stJohns.moment('2026-03-08T05:29:00Z', now)).toBe('01:59');
  expect(stJohns.moment('2026-03-08T05:30:00Z', now)).toBe('03:00');
});

it('names a zone with its offset of that moment', () => {
  expect(zoneWords(kolkata, Date.parse('2026-11-24T00:00:00Z'))).toBe('Asia/Kolkata (UTC+5:30)');
  expect(zoneWords(stJohns, Date.parse('2026-07-01T00:00:00Z'))).toBe('America/St_Johns (UTC\u22122:30)');
  expect(zoneWords(stJohns, Date.parse('2026-12-01T00:00:00Z'))).toBe('America/St_Johns (UTC\u22123:30)');
  expect(zoneWords(createMoments('UTC'), 0)).toBe('UTC');
  expect(offsetWords(0)).toBe('UTC');
  expect(offsetWords(-5 * 3_600_000)).toBe('UTC\u22125');
});
