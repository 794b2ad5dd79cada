import { describe, expect, it } from 'vitest';
import { bandShares, buildGraph, buildNodes, type Path } from './path-layout.ts';

type HopView = Path['hops'][number];
const hop = (number: number, segment: HopView['segment'], rest: Partial<HopView> = {}): HopView => ({
  hop: number,
  segment,
  address: null,
  unavailable: null,
  rtt_ms: null,
  loss_ratio: null,
  ...rest,
});
const seen = (number: number, segment: HopView['segment'], [rtt, loss = 0]: [number, number?]): HopView =>
  hop(number, segment, { address: `10.0.0.${number}`, rtt_ms: rtt, loss_ratio: loss });

describe('nodes of a path', () => {
  it('blame no router for loss or delay that later hops do not have', () => {
    const nodes = buildNodes([seen(1, 'local', [2]), seen(2, 'isp-edge', [90, 0.4]), seen(3, 'beyond', [12])]);
    expect(nodes.map((node) => node.lossRatio)).toEqual([0, 0, 0]);
    expect(nodes.map((node) => node.addsMs)).toEqual([2, 10, 0]);
  });

  it('put loss on the edge where it begins', () => {
    const nodes = buildNodes([seen(1, 'local', [2]), seen(2, 'isp-edge', [9, 0.1]), seen(3, 'beyond', [12, 0.1])]);
    expect(nodes.map((node) => node.lossRatio)).toEqual([0, 0.1, 0]);
  });

  it('join silent hops into one and give them the band of the next that answers', () => {
    const nodes = buildNodes([seen(1, 'local', [2]), hop(2, null), hop(3, null), seen(4, 'beyond', [20])]);
    expect(nodes.map((node) => [node.kind, node.hops, node.segment])).toEqual([
      ['answered', [1], 'local'],
      ['silent', [2, 3], 'beyond'],
      ['answered', [4], 'beyond'],
    ]);
  });

  it('keep a hop whose address is withheld as masked, with its figures', () => {
    const [node] = buildNodes([hop(1, 'isp-edge', { unavailable: 'withheld', rtt_ms: 44, loss_ratio: 0 })]);
    expect(node).toMatchObject({ kind: 'masked', addsMs: 44 });
  });

  it('share the delay out over the bands', () => {
    const shares = bandShares(buildNodes([seen(1, 'local', [3]), seen(2, 'isp-edge', [9]), seen(3, 'beyond', [20])]));
    expect(Object.fromEntries(shares)).toEqual({
      local: { hops: 1, addsMs: 3 },
      'isp-edge': { hops: 1, addsMs: 6 },
      beyond: { hops: 1, addsMs: 11 },
    });
  });
});

describe('several targets', () => {
  const pathTo = (target: string, last: number): Path => ({
    target,
    measured_at: '2026-11-21T14:05:00.000Z',
    protocol: 'udp',
    reached: true,
    packets_sent: 30,
    hops: [
      seen(1, 'local', [3]),
      seen(2, 'isp-edge', [9]),
      hop(3, 'beyond', { unavailable: 'withheld', rtt_ms: last, loss_ratio: 0 }),
    ],
  });

  it('share a trunk and branch to each target', () => {
    const { trunk, branches } = buildGraph([pathTo('crm', 53), pathTo('mail', 55)]);
    expect(trunk.map((node) => node.key)).toEqual(['h1', 'h2']);
    expect(branches.map((branch) => [branch.target, branch.rttMs])).toEqual([
      ['crm', 53],
      ['mail', 55],
    ]);
  });

  it('say that a target was not reached instead of giving it a time', () => {
    const { branches } = buildGraph([{ ...pathTo('crm', 53), reached: false }]);
    expect(branches).toEqual([{ target: 'crm', reached: false, rttMs: null, lossRatio: null }]);
  });

  it('draw nothing without a path', () => {
    expect(buildGraph([])).toEqual({ trunk: [], branches: [] });
  });
});
