import type { FleetSummary, Verdict } from '@svc/contracts/endpoint/view';
import { describe, expect, it } from 'vitest';
import { buildHeadline, buildRemainder, describeShared } from './fleet-sentence.ts';

const summaryOf = (counts: Partial<Record<Verdict, number>>, shared: FleetSummary['shared'] = []): FleetSummary => ({
  healths: [{ health: 'healthy', count: counts.none ?? 0 }],
  faults: [],
  total: Object.values(counts).reduce((sum, count) => sum + count, 0),
  counts: Object.entries(counts).map(([verdict, count]) => ({ verdict: verdict as Verdict, count })),
  slow_by_hour: [],
  shared,
  sites: [],
  os: [],
  agent_versions: [],
  collector_running: true,
  simulated: false,
  computed_at: '2026-11-21T14:07:00.000Z',
});
const text = (summary: FleetSummary): string =>
  buildHeadline(summary)
    .map((part) => part.text)
    .join('');

const wifi = {
  cause: 'wifi' as const,
  site: 'Lisbon, floor 3',
  gateway: '10.20.3.1',
  affected: 9,
  of: 14,
  since: null,
  sentence: '',
};

describe('the headline', () => {
  it('names who is fine, then the two causes that hurt most and where', () => {
    const summary = summaryOf({ none: 174, wifi: 9, isp: 5, local: 3, network: 2, unknown: 1, paused: 3, no_contact: 3 }, [wifi]);
    expect(text(summary)).toBe(
      '174 of 200 devices are fine. 9 are slow because of Wi-Fi, all at Lisbon, floor 3; 5 because of the ISP.',
    );
    expect(buildRemainder(summary)).toBe(
      '6 more are slow for other reasons and 6 give no verdict: 3 paused by their owner and 3 without contact.',
    );
    expect(describeShared(summary)).toBe('9 of the 20 slow devices come down to 1 thing');
  });

  it('counts devices behind a gateway once where their site shares the cause too', () => {
    const behind = { ...wifi, gateway: '10.0.0.1', affected: 5 };
    const there = { ...wifi, gateway: null, affected: 6 };
    expect(describeShared(summaryOf({ wifi: 6, isp: 10 }, [there, behind]))).toBe(
      '6 of the 16 slow devices come down to 1 thing',
    );
  });

  it('links each count to the devices it counts', () => {
    const links = buildHeadline(summaryOf({ none: 3, wifi: 1 })).flatMap((part) => part.search ?? []);
    expect(links).toEqual([{ health: ['healthy'] }, { verdict: ['wifi'] }]);
  });

  it('is plain about a healthy, a single and a silent fleet', () => {
    expect(text(summaryOf({ none: 200 }))).toBe('All 200 devices are fine.');
    expect(text(summaryOf({ none: 1 }))).toBe('This device is fine.');
    expect(text(summaryOf({ wifi: 1 }))).toBe('This device is slow because of Wi-Fi.');
    expect(text(summaryOf({ wifi: 3 }))).toBe('None of 3 devices are fine. 3 are slow because of Wi-Fi.');
    expect(text(summaryOf({ pending: 1 }))).toBe('This device gives no verdict yet.');
    expect(text(summaryOf({ none: 4, no_contact: 1 }))).toBe('4 of 5 devices are fine. 1 gives no verdict; nothing is slow.');
  });

  it('calls no device fine that is off or measured in part', () => {
    const of = (healthy: number, more: Partial<Record<Verdict, number>> = {}): FleetSummary => ({
      ...summaryOf({ none: 5, ...more }),
      healths: [
        { health: 'healthy', count: healthy },
        { health: 'partial', count: 4 - healthy },
        { health: 'off', count: 1 },
      ],
    });
    expect(text(of(2))).toBe('2 of 5 devices are fine. Nothing is slow.');
    expect(buildRemainder(of(2))).toBe('On 1 something is off though nothing is slow; 2 are measured only in part.');
    expect(text(of(0))).toBe('Nothing is slow, as far as measured.');
    expect(text(of(0, { wifi: 2 }))).toBe('None of 7 devices are known to be fine. 2 are slow because of Wi-Fi.');
  });

  it('does not claim a place for a cause that only partly sits there', () => {
    expect(text(summaryOf({ none: 1, wifi: 10 }, [wifi]))).toBe('1 of 11 devices is fine. 10 are slow because of Wi-Fi.');
  });
});
