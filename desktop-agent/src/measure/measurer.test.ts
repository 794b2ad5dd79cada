import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { findMetricKey } from '@svc/contracts/results/endpoint-results';
import { uuidv7 } from 'uuidv7';
import { describe, expect, it } from 'vitest';
import type { Onset } from '../attribution/onset.ts';
import { readConfig } from '../config.ts';
import type { EndpointResult } from '../result.ts';
import { DEFAULT_POLICY, settingsOf } from '../settings.ts';
import { gateway, path, resolver, session, wifi } from '../testing/readings.ts';
import { createMeasurer, FULL_DEPTH, type MeasurerDeps, USUAL_DEPTH } from './measurer.ts';
import type { OnsetStore } from './onset-store.ts';
import { gatewayOfPaths } from './parts/gateway-of-paths.ts';
import type { ProbeSet } from './probe-set.ts';
import { createTurns } from './turns.ts';

interface Asked {
  gateway: number[];
  path: { target: string; rounds: number | undefined }[];
  ssid: boolean[];
}

function measuring(env: Record<string, string>, over: Partial<ProbeSet> = {}, more: Partial<MeasurerDeps> = {}) {
  const asked: Asked = { gateway: [], path: [], ssid: [] };
  const results: EndpointResult[] = [];
  const probes: ProbeSet = {
    readWifi: async ({ collectSsid }) => {
      asked.ssid.push(collectSsid);
      return wifi();
    },
    readResolvers: async () => ({ value: { servers: ['192.168.1.1', '203.0.113.53'], source: 'test' } }),
    measureGateway: async ({ count }) => {
      asked.gateway.push(count ?? 0);
      return gateway();
    },
    measureForwarding: async () => undefined,
    measurePath: async ({ target, rounds }) => {
      asked.path.push({ target, rounds });
      return path({}, target);
    },
    measurePathMtu: async () => ({ unavailable: 'not_supported' }),
    measureResolver: async ({ server }) => resolver({ server }),
    measureSession: async ({ url }) => session({ url }),
    ...over,
  };
  const settings = settingsOf(readConfig(env), DEFAULT_POLICY);
  const measurer = createMeasurer({
    probes,
    settings: () => settings,
    clock: { now: () => 1_790_000_000_000, steady: () => 0 },
    newId: uuidv7,
    emit: async (measured) => {
      results.push(...measured);
    },
    controlPlane: () => ({ url: 'https://localhost:8443/healthz' }),
    signal: () => new AbortController().signal,
    ...more,
  });
  return { measurer, results, asked };
}

describe('a full round', () => {
  it('contacts nothing that nobody chose', async () => {
    const { measurer, asked, results } = measuring({}, { measureSession: async ({ url }) => session({ url }) });
    await measurer.all(FULL_DEPTH);
    expect(asked.path).toEqual([]);
    expect(asked.gateway).toEqual([25]);
    expect(results.filter((one) => one.canary_type === 'endpoint.session').map((one) => one.server_address)).toEqual([
      'localhost',
    ]);
  });

  it('makes results of the contract’s keys only, each valid, and a verdict at the end', async () => {
    const { measurer, results } = measuring({
      SVC_ENDPOINT_TRACE_TARGETS: '203.0.113.10',
      SVC_ENDPOINT_SESSION_TARGETS: 'https://crm.example/',
    });
    const judged = await measurer.all(FULL_DEPTH);
    expect(judged.verdict?.cause).toBe('none');
    expect(results.at(-1)?.canary_type).toBe('endpoint.attribution');
    expect(new Set(results.map((one) => one.canary_type)).size).toBe(6);
    for (const result of results) {
      expect(CanonicalResult.safeParse({ ...result, tenant_id: 't', agent_id: 'a' }).error).toBeUndefined();
      for (const key of Object.keys(result.metrics)) expect(findMetricKey(result.canary_type, key), key).toBeDefined();
    }
  });

  it('reads the gateway from the traces, and shares 25 rounds among them', async () => {
    const { measurer, results, asked } = measuring({ SVC_ENDPOINT_TRACE_TARGETS: '203.0.113.10,203.0.113.11' });
    await measurer.all(FULL_DEPTH);
    expect(asked.gateway).toEqual([]);
    expect(asked.path.map((one) => one.rounds)).toEqual([13, 13]);
    const read = results.find((one) => one.canary_type === 'endpoint.gateway');
    expect(read).toMatchObject({ success: true, metrics: { 'rtt.avg.ms': 3, 'packets.sent': 20, 'packets.lost': 0 } });
  });

  it('keeps to half a minute with as many targets as a policy may name', async () => {
    const targets = Array.from({ length: 8 }, (_, n) => `203.0.113.${n + 10}`);
    const { measurer, asked } = measuring({ SVC_ENDPOINT_TRACE_TARGETS: targets.join(',') });
    await measurer.all(FULL_DEPTH);
    expect(asked.path.reduce((sum, one) => sum + (one.rounds ?? 0), 0)).toBeLessThanOrEqual(26);
  });

  it('lets one failing part leave the others their say', async () => {
    const { measurer, results } = measuring({}, { readWifi: () => Promise.reject(new Error('no netlink')) });
    await measurer.all(FULL_DEPTH);
    expect(results.some((one) => one.canary_type === 'endpoint.gateway')).toBe(true);
    expect(results.at(-1)?.canary_type).toBe('endpoint.attribution');
  });

  it('goes on with the onset of an earlier run while the cause is the same, and hands each one on', async () => {
    const kept: (Onset | undefined)[] = [];
    const sinceMs = 1_790_000_000_000 - 3_600_000;
    const onsets: OnsetStore = { earlier: { cause: 'wifi', sinceMs }, keep: async (onset) => void kept.push(onset) };
    const weak = { readWifi: async () => wifi({ rssiDbm: { value: -85 } }) };
    const { measurer, results } = measuring({}, weak, { onsets });
    await measurer.all(FULL_DEPTH);
    expect(results.at(-1)?.attributes['endpoint.summary']).toContain('since 2026-09-21 13:13 UTC');
    expect(results.at(-1)?.attributes['endpoint.since']).toBe(new Date(sinceMs).toISOString());
    await measuring({}, {}, { onsets }).measurer.all(FULL_DEPTH);
    expect(kept).toEqual([
      { cause: 'wifi', fault: 'wifi_signal', sinceMs },
      { cause: 'none', fault: '', sinceMs: 1_790_000_000_000 },
    ]);
  });

  it('goes on with the onset over a moment in which nothing can be judged', async () => {
    const sinceMs = 1_790_000_000_000 - 3_600_000;
    const kept: Onset[] = [];
    const onsets: OnsetStore = { earlier: { cause: 'wifi', sinceMs }, keep: async (onset) => void kept.push(onset) };
    const weak = { readWifi: async () => wifi({ rssiDbm: { value: -85 } }) };
    const { measurer } = measuring({}, weak, { onsets });
    // Right after a start there is no reading yet.
    const begun = await measurer.attribution();
    expect(begun).toMatchObject({ verdict: { cause: 'none', coverage: { measuring: ['wifi', 'local'] } }, onset: undefined });
    expect(begun.result.attributes['endpoint.since']).toBeUndefined();
    expect(kept).toEqual([]);
    await measurer.all(FULL_DEPTH);
    expect(kept).toEqual([{ cause: 'wifi', fault: 'wifi_signal', sinceMs }]);
  });

  it('does not even ask for an SSID that is switched off', async () => {
    const { measurer, asked } = measuring({ SVC_ENDPOINT_COLLECT_SSID: 'false' });
    await measurer.wifi();
    expect(asked.ssid).toEqual([false]);
  });
});

describe('a gateway that leaves probes unanswered', () => {
  const shy = { measureGateway: async () => gateway({ lost: 5, lossRatio: 0.5 }) };
  const lostOf = async (over: Partial<ProbeSet>, env = {}): Promise<(number | undefined)[]> => {
    const { measurer, results } = measuring(env, over);
    // By echo, turns need no silence between them.
    await measurer.gateway(USUAL_DEPTH);
    await measurer.paths(USUAL_DEPTH);
    await measurer.gateway(USUAL_DEPTH);
    const { metrics } = results.findLast((one) => one.canary_type === 'endpoint.gateway') ?? {};
    return [metrics?.['packets.lost'], metrics?.['packet.loss.ratio']];
  };
  const way = (sent: number, lost: number) => ({ ...shy, measureForwarding: async () => ({ sent, lost }) });
  const traced = { SVC_ENDPOINT_TRACE_TARGETS: '203.0.113.10' };

  it('loses as much as the way over it, and never more than it left unanswered', async () => {
    expect(await lostOf(way(10, 0))).toEqual([0, 0]);
    expect(await lostOf(way(10, 2))).toEqual([2, 0.2]);
    expect(await lostOf(way(25, 1))).toEqual([1, 0.1]);
    expect(await lostOf(way(10, 9))).toEqual([5, 0.5]);
  });

  it('is judged by the newest traces where no DNS server tells, and by itself where nothing does', async () => {
    expect(await lostOf(shy, traced)).toEqual([0, 0]);
    expect(await lostOf(shy)).toEqual([5, 0.5]);
    const elsewhere = { measureGateway: async () => gateway({ address: '10.0.0.1', lost: 5, lossRatio: 0.5 }) };
    expect(await lostOf(elsewhere, traced)).toEqual([5, 0.5]);
  });

  it('is not asked about where nothing was lost', async () => {
    expect(await lostOf({ measureForwarding: () => Promise.reject(new Error('asked')) })).toEqual([0, 0]);
  });

  it('that answers nothing is blamed only where nothing behind it answers either', async () => {
    const silent = gateway({ reachable: false, lost: 10, lossRatio: 1, rttAvgMs: null });
    const judgeSilent = async (turns: (typeof silent)[], over: Partial<ProbeSet>) => {
      const measureGateway = async () => turns.shift() ?? silent;
      const { measurer, results } = measuring({}, { measureGateway, ...over });
      await measurer.wifi();
      for (let left = turns.length + 1; left > 0; left--) await measurer.gateway(USUAL_DEPTH);
      return [results.at(-1)?.metrics['packets.lost'], (await measurer.attribution()).verdict?.cause];
    };
    const forwards = { measureForwarding: async () => ({ sent: 2, lost: 1 }) };
    expect(await judgeSilent([], {})).toEqual([10, 'local']);
    expect(await judgeSilent([], { measureForwarding: async () => ({ sent: 2, lost: 2 }) })).toEqual([10, 'local']);
    expect(await judgeSilent([], forwards)).toEqual([10, 'none']);
    // Also right after it answered: then the window of losses is not empty.
    expect(await judgeSilent([gateway()], {})).toEqual([10, 'local']);
    expect(await judgeSilent([gateway()], forwards)).toEqual([10, 'none']);
  });
});

it('keeps probes that expire at routers apart, with silence between them', async () => {
  let now = 0;
  const log: string[] = [];
  const turns = createTurns({
    quietMs: () => 6000,
    steady: () => now,
    signal: () => new AbortController().signal,
    sleep: async (ms) => {
      log.push(`quiet ${ms}`);
      now += ms;
    },
  });
  const work = (name: string, ms: number) => async () => {
    log.push(name);
    now += ms;
    if (name === 'b') throw new Error('no route');
  };
  const first = turns.take(work('a', 100));
  const second = turns.take(work('b', 100));
  const third = turns.take(work('c', 100));
  await first;
  await expect(second).rejects.toThrow('no route');
  await third;
  now += 60_000;
  await turns.take(work('d', 1));
  expect(log).toEqual(['a', 'quiet 6000', 'b', 'quiet 6000', 'c', 'd']);
});

describe('the gateway as a hop', () => {
  it('counts only losses that the hops behind share', () => {
    const measured = path().value;
    const shy = {
      ...measured,
      hops: measured.hops.map((one) => (one.hop === 1 ? { ...one, received: 4, lossRatio: 0.6, countedLost: 0 } : one)),
    };
    expect(gatewayOfPaths([shy])).toMatchObject({ sent: 10, lost: 0, lossRatio: 0, reachable: true });
  });

  it('is nobody where the first hop is silent, public or not the same for all', () => {
    const measured = path().value;
    const first = (change: object) => ({
      ...measured,
      hops: measured.hops.map((one) => (one.hop === 1 ? { ...one, ...change } : one)),
    });
    expect(gatewayOfPaths([])).toBeUndefined();
    expect(gatewayOfPaths([first({ address: null })])).toBeUndefined();
    expect(gatewayOfPaths([first({ isPublic: true, segment: 'isp-edge' })])).toBeUndefined();
    expect(gatewayOfPaths([measured, first({ address: '10.0.0.1' })])).toBeUndefined();
  });
});

it('takes the usual depth in ordinary turns', async () => {
  const { measurer, asked } = measuring({ SVC_ENDPOINT_TRACE_TARGETS: '203.0.113.10' });
  await measurer.gateway(USUAL_DEPTH);
  await measurer.gateway(USUAL_DEPTH);
  await measurer.paths(USUAL_DEPTH);
  expect(asked.gateway).toEqual([5, 10]);
  expect(asked.path).toEqual([{ target: '203.0.113.10', rounds: 10 }]);
});

describe('another network', () => {
  it('is judged by what was measured in it alone, be its gateway the same', async () => {
    let lost = 5;
    const { measurer } = measuring({}, { measureGateway: async () => gateway({ sent: 10, lost, lossRatio: lost / 10 }) });
    expect((await measurer.all(USUAL_DEPTH)).verdict?.cause).toBe('local');
    lost = 0;
    measurer.networkChanged();
    expect((await measurer.all(USUAL_DEPTH)).verdict?.cause).toBe('none');
  });

  it('hears nothing of a radio that was read in the former one', async () => {
    let answer: (() => void) | undefined;
    const { measurer } = measuring(
      {},
      { readWifi: () => new Promise((resolve) => (answer = () => resolve(wifi({ rssiDbm: { value: -88 } })))) },
    );
    const reading = measurer.wifi();
    measurer.networkChanged();
    answer?.();
    await reading;
    expect((await measurer.attribution()).verdict?.cause).not.toBe('wifi');
  });
});

describe('over a VPN', () => {
  it('reads the gateway of the line beneath it, and never takes the first hop inside for it', async () => {
    const { measurer, results, asked } = measuring(
      { SVC_ENDPOINT_TRACE_TARGETS: '203.0.113.10' },
      { measureGateway: async () => gateway({ beneathTunnel: { endpoint: { value: '198.51.100.9' } } }) },
      { isTunnelled: () => true },
    );
    await measurer.all(FULL_DEPTH);
    expect(asked.path).toHaveLength(1);
    const found = results.find((one) => one.canary_type === 'endpoint.gateway');
    expect(found).toMatchObject({ success: true, attributes: { 'network.tunnel': 'true' }, metrics: { 'packets.sent': 10 } });
    expect(results.find((one) => one.canary_type === 'endpoint.lastmile')?.attributes['network.tunnel']).toBe('true');
    // The VPN's server is somebody's address: it is for judging alone.
    expect(JSON.stringify(results)).not.toContain('198.51.100.9');
  });
});
