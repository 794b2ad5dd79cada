import type { HopView } from '@svc/contracts/agent/ipc';
import { describe, expect, it } from 'vitest';
import { stationsOf } from './path-stations.ts';

const hop = (number: number, over: Partial<HopView> = {}): HopView => ({
  hop: number,
  segment: number === 1 ? 'local' : number < 4 ? 'isp-edge' : 'beyond',
  address: `198.51.100.${number}`,
  shared: false,
  rttMs: 10,
  lossRatio: 0,
  ...over,
});
const silent = (number: number): HopView => hop(number, { address: null, rttMs: null, lossRatio: 1, segment: null });
const path = (hops: HopView[], reached = true) => ({ target: 'crm', atMs: 0, reached, hops });
const kinds = (hops: HopView[], reached = true, most = 6): string[] =>
  stationsOf(path(hops, reached), most).map(({ kind }) => kind);

describe('the way out as a few stations', () => {
  it('runs from the device over the gateway to the target', () => {
    expect(kinds([hop(1), hop(2), hop(3)])).toEqual(['device', 'gateway', 'hop', 'end']);
  });

  it('makes one circle of neighbouring silent hops', () => {
    const stations = stationsOf(path([hop(1), silent(2), silent(3), hop(4)]), 6);
    expect(stations.map(({ kind, from, to }) => `${kind} ${from} ${to}`)).toEqual([
      'device 0 0',
      'gateway 1 1',
      'silent 2 3',
      'end 4 4',
    ]);
  });

  it('counts loss where it begins, and not where a router only answers seldom', () => {
    const stations = stationsOf(path([hop(1, { lossRatio: 0.02 }), hop(2, { lossRatio: 0.6 }), hop(3, { lossRatio: 0.02 })]), 6);
    expect(stations.map(({ lost }) => lost)).toEqual([null, 0.02, 0, 0]);
  });

  it('says that the target was not reached rather than drawing the last hop as it', () => {
    const stations = stationsOf(path([hop(1), hop(2)], false), 6);
    expect(stations.map(({ kind }) => kind)).toEqual(['device', 'gateway', 'hop', 'end']);
    expect(stations.at(-1)?.lost).toBeNull();
  });

  it('joins the middle where there is no room, and keeps both ends and all hop numbers', () => {
    const hops = Array.from({ length: 14 }, (_, index) => hop(index + 1));
    const stations = stationsOf(path(hops), 6);
    expect(stations).toHaveLength(6);
    expect(stations[0]?.kind).toBe('device');
    expect(stations[1]?.kind).toBe('gateway');
    expect(stations.at(-1)).toMatchObject({ kind: 'end', to: 14 });
    const numbers = stations.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
    expect(numbers).toEqual(Array.from({ length: 15 }, (_, index) => index));
  });

  it('keeps the loss of what it joins', () => {
    const hops = Array.from({ length: 10 }, (_, index) => hop(index + 1, { lossRatio: index >= 5 ? 0.1 : 0 }));
    const total = stationsOf(path(hops), 5).reduce((all, { lost }) => all + (lost ?? 0), 0);
    expect(total).toBeCloseTo(0.1);
  });

  it('does with an empty path', () => {
    expect(kinds([], false)).toEqual(['device', 'end']);
  });
});
