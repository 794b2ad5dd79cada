import { describe, expect, it } from 'vitest';
import { gateway, hop, path } from '../testing/readings.ts';
import { viewPings, viewTrace } from './view-path.ts';

const traced = (...hops: Parameters<typeof hop>[0][]) => {
  const base = path().value;
  return { value: { ...base, edgeHop: 2, hops: hops.map((change, at) => hop({ hop: at + 1, ...change })) } };
};

describe('pings', () => {
  it('have their median and their worst', () => {
    const reading = gateway({ sent: 25, lost: 2, rttsMs: [3, 90, 4, 3, 5], rttMaxMs: 90 });
    expect(viewPings(reading)).toEqual({ sent: 25, received: 23, medianMs: 4, worstMs: 90, unavailable: null });
  });

  it('have the reason where there is no gateway', () => {
    expect(viewPings({ unavailable: 'tunnel' })).toMatchObject({ sent: 0, unavailable: 'tunnel' });
  });
});

describe('a trace', () => {
  it('shows from where on the way loses, and where most of its delay is', () => {
    const reading = traced(
      { rttMedianMs: 2, confirmedDelayMs: 2 },
      { rttMedianMs: 9, confirmedDelayMs: 9 },
      { received: 0, rttMedianMs: null, confirmedDelayMs: null, confirmedLossRatio: null },
      { rttMedianMs: 80, confirmedDelayMs: 80, countedLost: 3, confirmedLossRatio: 0.3 },
      { rttMedianMs: 85, confirmedDelayMs: 85, countedLost: 3, confirmedLossRatio: 0.3 },
    );
    expect(viewTrace('203.0.113.10', reading)).toEqual({
      target: '203.0.113.10',
      hops: 5,
      reached: true,
      edgeHop: 2,
      rttMs: 85,
      lossHop: 4,
      lossRatio: 0.3,
      delayHop: 4,
      delayMs: 71,
      unavailable: null,
    });
  });

  it('blames no hop for one lost probe, nor where the delay grows evenly', () => {
    const reading = traced(
      { confirmedDelayMs: 10, countedLost: 1, confirmedLossRatio: 0.1 },
      { confirmedDelayMs: 20 },
      { confirmedDelayMs: 30 },
    );
    expect(viewTrace('x', reading)).toMatchObject({ lossHop: null, lossRatio: null, delayHop: null, delayMs: null });
  });
});
