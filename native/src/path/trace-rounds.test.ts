import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Probe, ProbeRun } from './probe-run.ts';
import { summariseHops } from './summarise.ts';
import { endOf, runRounds } from './trace-rounds.ts';

interface Network {
  /** Router at each distance; null: it never answers. The destination stands behind them. */
  readonly routers: readonly (string | null)[];
  readonly destination?: string | null;
  /** Whether the n-th probe in all (from 0) is lost. */
  readonly loses?: (probe: Probe) => boolean;
}

const TIMEOUT_MS = 1000;
const OPTIONS = { maxHops: 30, rounds: 3, roundMs: 1000, timeoutMs: TIMEOUT_MS };

/** A run whose probes are answered at once by a made-up network, on vitest's clock. */
function simulate(network: Network): ProbeRun {
  const probes: Probe[] = [];
  const answerTo = (probe: Probe): void => {
    const router = network.routers[probe.ttl - 1];
    const address = router === undefined ? network.destination : router;
    if (!address || network.loses?.(probe)) return;
    probe.answer = {
      index: probe.index,
      address,
      kind: router === undefined ? 'destination' : 'exceeded',
      receivedAtMs: undefined,
    };
    probe.rttMs = probe.ttl;
  };
  return {
    probes,
    sendError: () => undefined,
    send(ttl) {
      const probe: Probe = { index: probes.length, ttl: ttl ?? 0, sentAtMs: 0, startedMs: performance.now() };
      probes.push(probe);
      answerTo(probe);
    },
    async waitUntil(deadlineMs, done) {
      if (!done() && deadlineMs > performance.now()) await vi.advanceTimersByTimeAsync(deadlineMs - performance.now());
    },
    isPending: (probe) => probe.rttMs === undefined && performance.now() - probe.startedMs < TIMEOUT_MS,
    close: () => undefined,
  };
}

async function trace(network: Network, options: Partial<typeof OPTIONS> = {}) {
  const run = simulate(network);
  await runRounds(run, { ...OPTIONS, ...options });
  return { run, hops: summariseHops(run.probes), end: endOf(run.probes) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  return () => vi.useRealTimers();
});

describe('rounds of a trace', () => {
  it('send one probe for each distance in each round, up to the destination and not beyond', async () => {
    const { hops, end } = await trace({ routers: ['a', 'b'], destination: 'd' });
    expect(end).toBe(3);
    expect(hops.map(({ ttl, addresses, sent, received, kind }) => [ttl, addresses, sent, received, kind])).toEqual([
      [1, ['a'], 3, 3, 'hop'],
      [2, ['b'], 3, 3, 'hop'],
      [3, ['d'], 3, 3, 'destination'],
    ]);
  });

  it('pace the rounds: as many as asked for, a second apart', async () => {
    const { run } = await trace({ routers: ['a'], destination: 'd' }, { rounds: 4 });
    const starts = run.probes.filter((probe) => probe.ttl === 1).map((probe) => Math.round(probe.startedMs / 1000));
    expect(starts.map((start) => start - (starts[0] ?? 0))).toEqual([0, 1, 2, 3]);
  });

  it('never have more than six unanswered probes in flight while the path is found out', async () => {
    const { run } = await trace(
      { routers: [null, null, null, null, null, null, null, null, null], destination: 'd' },
      { rounds: 1 },
    );
    const first = run.probes[0]?.startedMs ?? 0;
    expect(run.probes.filter((probe) => probe.startedMs === first)).toHaveLength(6);
    expect(endOf(run.probes)).toBe(10);
  });

  it('give up after twelve silent distances, and probe little beyond the last answer afterwards', async () => {
    const { run, hops } = await trace({ routers: ['a', ...Array<null>(28).fill(null)], destination: null });
    expect(hops.map((hop) => hop.addresses)).toEqual([['a']]);
    expect(Math.max(...run.probes.map((probe) => probe.ttl))).toBe(13);
    expect(run.probes.length).toBe(13 + 4 + 4);
  });

  it('keep a silent hop between two that answer', async () => {
    const { hops } = await trace({ routers: ['a', null, 'c'], destination: 'd' });
    expect(hops.map((hop) => [hop.kind, hop.received])).toEqual([
      ['hop', 3],
      ['silent', 0],
      ['hop', 3],
      ['destination', 3],
    ]);
  });

  it('find the destination at its true distance though its first probe was lost', async () => {
    const { hops, end } = await trace({ routers: ['a'], destination: 'd', loses: (probe) => probe.index === 1 });
    expect(end).toBe(2);
    expect(hops[1]).toMatchObject({ kind: 'destination', sent: 3, received: 2 });
  });

  it('stop at the most hops asked for', async () => {
    const { hops, run } = await trace({ routers: ['a', 'b', 'c', 'd'], destination: 'e' }, { maxHops: 2 });
    expect(hops).toHaveLength(2);
    expect(Math.max(...run.probes.map((probe) => probe.ttl))).toBe(2);
  });

  it('have no hops where nothing answers', async () => {
    expect((await trace({ routers: [null, null], destination: null })).hops).toEqual([]);
  });
});
