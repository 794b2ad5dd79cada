import type { HopReading } from '@svc/native/path/path';
import { describe, expect, it } from 'vitest';
import { confirmByLater, describeHops, edgeHopOf, summariseSegments } from './path-bands.ts';

interface Sketch {
  readonly at: string | null;
  readonly sent?: number;
  readonly received?: number;
  readonly rttMs?: number;
  readonly kind?: HopReading['kind'];
}

const sketchHops = (...sketches: Sketch[]): HopReading[] =>
  sketches.map(({ at, sent = 10, received = at === null ? 0 : sent, rttMs = 5, kind = at === null ? 'silent' : 'hop' }, i) => ({
    ttl: i + 1,
    addresses: at === null ? [] : [at],
    sent,
    received,
    rttsMs: Array<number>(received).fill(rttMs),
    kind,
  }));
const bands = (hops: HopReading[], source?: string) => describeHops(hops, source).map((hop) => hop.segment);
const destination = (at: string): Sketch => ({ at, kind: 'destination' });

describe('bands of a path', () => {
  it('are local, then the first public hop, then beyond', () => {
    const hops = sketchHops(
      { at: '192.168.1.1' },
      { at: '10.9.0.1' },
      { at: '198.51.100.1' },
      { at: '203.0.113.1' },
      destination('203.0.113.9'),
    );
    expect(bands(hops)).toEqual(['local', 'local', 'isp-edge', 'beyond', 'beyond']);
  });

  it("count the carrier's NAT as the ISP's edge, with the first public hop behind it", () => {
    const hops = sketchHops(
      { at: '192.168.1.1' },
      { at: '100.64.0.1' },
      { at: '10.1.1.1' },
      { at: '198.51.100.1' },
      { at: '203.0.113.1' },
    );
    expect(bands(hops)).toEqual(['local', 'isp-edge', 'isp-edge', 'isp-edge', 'beyond']);
  });

  it('keep private addresses behind the edge in the band beyond', () => {
    expect(bands(sketchHops({ at: '192.168.1.1' }, { at: '198.51.100.1' }, { at: '10.3.3.3' }))).toEqual([
      'local',
      'isp-edge',
      'beyond',
    ]);
  });

  it('never take the destination itself for the edge', () => {
    expect(bands(sketchHops({ at: '192.168.1.1' }, { at: null }, destination('203.0.113.9')))).toEqual(['local', null, 'beyond']);
    expect(bands(sketchHops({ at: '192.168.1.1' }, destination('192.168.5.5')))).toEqual(['local', 'local']);
  });

  it('give a silent hop the band around it, where there is one', () => {
    const hops = sketchHops(
      { at: '192.168.1.1' },
      { at: null },
      { at: '10.0.0.1' },
      { at: null },
      { at: '198.51.100.1' },
      { at: null },
    );
    expect(bands(hops)).toEqual(['local', 'local', 'local', null, 'isp-edge', 'beyond']);
  });

  it('know an IPv6 router at home by the link it shares', () => {
    const hops = sketchHops({ at: '2001:db8:77:1::1' }, { at: '2001:db8:1::2' }, destination('2001:db8:3::2'));
    expect(bands(hops, '2001:db8:77:1::abcd')).toEqual(['local', 'isp-edge', 'beyond']);
    expect(bands(hops)).toEqual(['isp-edge', 'beyond', 'beyond']);
  });

  it('say which addresses are public', () => {
    const hops = describeHops(sketchHops({ at: '192.168.1.1' }, { at: '100.64.0.1' }, { at: null }, { at: '198.51.100.1' }));
    expect(hops.map((hop) => hop.isPublic)).toEqual([false, true, false, true]);
  });
});

describe('losses', () => {
  const lossy = sketchHops(
    { at: '192.168.1.1' },
    { at: '198.51.100.1', received: 4 },
    { at: null },
    { at: '203.0.113.1', received: 7 },
    { ...destination('203.0.113.9'), received: 8 },
  );

  it('count only as far as later hops lose too', () => {
    expect(describeHops(lossy).map((hop) => [hop.lossRatio, hop.countedLost])).toEqual([
      [0, 0],
      [0.6, 2],
      [null, 0],
      [expect.closeTo(0.3), 2],
      [expect.closeTo(0.2), 2],
    ]);
  });

  it('of a router that only answers slowly do not count at all', () => {
    const hops = describeHops(sketchHops({ at: '192.168.1.1', received: 3 }, destination('203.0.113.9')));
    expect(hops[0]).toMatchObject({ lossRatio: 0.7, countedLost: 0 });
  });
});

describe('what later hops confirm', () => {
  it('is the least from each place to the end; silence neither confirms nor refutes', () => {
    expect(confirmByLater([0.6, null, 0.2, 0.4])).toEqual([0.2, null, 0.2, 0.4]);
    expect(confirmByLater([null, null])).toEqual([null, null]);
    expect(confirmByLater([])).toEqual([]);
  });

  it('is a loss at the hop where it begins, as a ratio', () => {
    const hops = sketchHops(
      { at: '192.168.1.1' },
      { at: '198.51.100.1', received: 3 },
      { at: '198.51.100.2', received: 8 },
      { ...destination('203.0.113.9'), received: 8 },
    );
    const ratios = describeHops(hops).map((hop) => hop.confirmedLossRatio);
    expect(ratios[0]).toBe(0);
    for (const ratio of ratios.slice(1)) expect(ratio).toBeCloseTo(0.2);
  });

  it('is a delay on the way, not in a router that is slow to answer for itself, nor one spike', () => {
    const hops = sketchHops(
      { at: '192.168.1.1', rttMs: 2 },
      { at: '198.51.100.1', rttMs: 90 },
      { at: null },
      { at: '198.51.100.2', rttMs: 12 },
      { ...destination('203.0.113.9'), rttMs: 70 },
    );
    expect(describeHops(hops).map((hop) => hop.confirmedDelayMs)).toEqual([2, 12, null, 12, 70]);
    const spiky = { ...destination('203.0.113.9'), rttMs: 10 };
    const [read] = sketchHops(spiky);
    const withSpike = describeHops([{ ...(read as HopReading), rttsMs: [10, 900, 11, 10, 12] }]);
    expect(withSpike[0]).toMatchObject({ rttMedianMs: 11, confirmedDelayMs: 11 });
    expect(withSpike[0]?.rttAvgMs).toBeGreaterThan(180);
  });

  it('has the provider’s edge at the first public hop, else at the last of the carrier’s NAT, or nowhere', () => {
    const edge = (...sketches: Parameters<typeof sketchHops>) => edgeHopOf(describeHops(sketchHops(...sketches)))?.hop;
    expect(edge({ at: '192.168.1.1' }, { at: '100.64.0.1' }, { at: '198.51.100.1' }, { at: '198.51.100.2' })).toBe(3);
    expect(edge({ at: '192.168.1.1' }, { at: '100.64.0.1' }, { at: '100.64.0.2' })).toBe(3);
    expect(edge({ at: '192.168.1.1' }, destination('203.0.113.9'))).toBeUndefined();
  });
});

describe('segments', () => {
  it('stand for the last local, the first public and the last hop', () => {
    const hops = sketchHops(
      { at: '192.168.1.1', rttMs: 2 },
      { at: '10.0.0.1', rttMs: 3 },
      { at: '100.64.0.1', rttMs: 7 },
      { at: '198.51.100.1', rttMs: 9, received: 5 },
      { at: '203.0.113.1', rttMs: 20, received: 5 },
      { ...destination('203.0.113.9'), rttMs: 22, received: 6 },
    );
    expect(summariseSegments(describeHops(hops))).toEqual([
      { segment: 'local', hop: 2, rttAvgMs: 3, sent: 10, lost: 0, lossRatio: 0 },
      { segment: 'isp-edge', hop: 4, rttAvgMs: 9, sent: 10, lost: 4, lossRatio: 0.4 },
      { segment: 'beyond', hop: 6, rttAvgMs: 22, sent: 10, lost: 4, lossRatio: 0.4 },
    ]);
  });

  it("fall back to the carrier's NAT, and are left out where nothing answered for them", () => {
    const hops = describeHops(sketchHops({ at: '192.168.1.1' }, { at: '100.64.0.1' }, { at: null }));
    expect(summariseSegments(hops).map(({ segment, hop }) => [segment, hop])).toEqual([
      ['local', 1],
      ['isp-edge', 2],
    ]);
    expect(summariseSegments([])).toEqual([]);
  });
});
