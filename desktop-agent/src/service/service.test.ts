import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContextReading } from '@svc/native/context/context';
import type { NetworkChange, WatchNetwork } from '@svc/native/network/network';
import type { Reading } from '@svc/native/reading';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunChore } from '../chores/run-chore.ts';
import { readConfig } from '../config.ts';
import type { ProbeSet, SessionOrder } from '../measure/probe-set.ts';
import { decodeRecord } from '../publish/record.ts';
import { openDiskSpool } from '../publish/spool-disk.ts';
import type { EndpointResult } from '../result.ts';
import { type AgentService, startService } from '../service.ts';
import { type WatchingFace, watchAgent } from '../testing/face.ts';
import { gateway, session, wifi } from '../testing/readings.ts';

const HOUR_MS = 3_600_000;
const none = { unavailable: 'not_supported' } as const;
const context: ContextReading = {
  onBattery: none,
  metered: none,
  vpn: none,
  roams: none,
  cellular: { rsrpDbm: none, rsrqDb: none, sinrDb: none },
};

let stateDir: string;
let service: AgentService | undefined;
let face: WatchingFace | undefined;
let steadyAheadMs = 0;
let dateAheadMs = 0;
const lines: string[] = [];
const clock = {
  now: () => Date.now() + dateAheadMs,
  steady: () => performance.now() + steadyAheadMs,
};
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'svc-service-'));
  [steadyAheadMs, dateAheadMs] = [0, 0];
  lines.length = 0;
});
afterEach(async () => {
  face?.close();
  await service?.stop();
  [face, service] = [undefined, undefined];
  await rm(stateDir, { recursive: true, force: true });
});

/** An agent that nobody enrolled: it measures, and what it measures waits. */
async function start(over: Partial<ProbeSet>, watchNetwork?: WatchNetwork): Promise<WatchingFace> {
  const probes = {
    readWifi: async () => wifi(),
    readResolvers: async () => ({ value: { servers: [], source: 'test' } }),
    measureGateway: async () => gateway(),
    measureForwarding: async () => undefined,
    measureSession: async ({ url }: SessionOrder) => session({ url }),
    ...over,
  } as Partial<ProbeSet> as ProbeSet;
  const facts = { deviceName: 'desk', os: 'linux', osVersion: '', arch: 'x64', model: '' };
  service = await startService({
    config: readConfig({
      SVC_AGENT_STATE_DIR: stateDir,
      SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '1',
      SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1',
      SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '5',
      SVC_ENDPOINT_SESSION_TARGETS: 'https://crm.example/',
    }),
    version: '1.2.3',
    runChore: (async () => facts) as unknown as RunChore,
    probes,
    readContext: { read: async () => context },
    ...(watchNetwork ? { watchNetwork } : {}),
    clock,
    disclose: () => 'what is collected',
    takeToken: async () => undefined,
    log: (line) => void lines.push(line),
  });
  face = await watchAgent(stateDir);
  return face;
}

async function stopAndRead(): Promise<EndpointResult[]> {
  face?.close();
  await service?.stop();
  service = undefined;
  const spool = await openDiskSpool({ directory: join(stateDir, 'spool'), maxBytes: 1 << 20 });
  const batch = await spool.next({ results: 10_000, bytes: 1 << 20 });
  await spool.close();
  return batch?.records.map((record) => decodeRecord(record).result) ?? [];
}

/** A turn or two of measuring on a machine that has other things to do. */
const SOON = { timeout: 10_000 };

describe('the service', { timeout: 30_000 }, () => {
  it('ends a probe under way within a second of a pause, keeps nothing of it and begins nothing new', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const hanging = ({ signal }: SessionOrder): Promise<never> => {
      begun.push(performance.now());
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended.push(performance.now());
          reject(signal.reason);
        });
      });
    };
    const client = await start({ measureSession: hanging });
    await vi.waitFor(() => expect(begun.length).toBe(1));
    const asked = performance.now();
    await client.call('pause', { minutes: 60 });
    await vi.waitFor(() => expect(ended.length).toBe(1));
    expect((ended[0] ?? Number.POSITIVE_INFINITY) - asked).toBeLessThan(1000);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(begun.length).toBe(1);
    expect(lines.filter((line) => line.includes('failed'))).toEqual([]);
    // Over before its time by no jump of the date, on time by the clock that goes on while asleep.
    dateAheadMs = 365 * 24 * HOUR_MS;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await client.call('watch', {})).state).toBe('paused');
    expect((await client.call('watch', {})).pausedUntilMs).toBeGreaterThan(Date.now() + dateAheadMs);
    await client.call('pause', { minutes: 0 });
    await vi.waitFor(() => expect(begun.length).toBe(2));
  });

  it('ends what is measured in a network that is left, and measures the next one soon, be its gateway the same', async () => {
    let tell: (change: NetworkChange) => void = () => undefined;
    let stopped = 0;
    const watchNetwork: WatchNetwork = (onChange) => {
      tell = onChange;
      return {
        value: () => {
          stopped += 1;
        },
      };
    };
    let hangs = true;
    const ended: string[] = [];
    let measured = 0;
    await start(
      {
        measureSession: ({ url, signal }) => {
          measured += 1;
          if (!hangs) return Promise.resolve(session({ url }));
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              ended.push(String(signal.reason));
              reject(signal.reason);
            });
          });
        },
      },
      watchNetwork,
    );
    await vi.waitFor(() => expect(measured).toBe(1));
    tell('left');
    await vi.waitFor(() => expect(ended.join()).toContain('the network changed'));
    hangs = false;
    tell('joined');
    // Its own turn would come only after five seconds.
    await vi.waitFor(() => expect(measured).toBeGreaterThan(1), { timeout: 4000 });
    expect(lines.filter((line) => line.includes('failed'))).toEqual([]);
    await service?.stop();
    service = undefined;
    expect(stopped).toBe(1);
  });

  it('needs a permission for what stops a reading, not for a network’s name alone', async () => {
    const refused = { unavailable: 'permission' } as const;
    let radio = wifi({ ssid: refused });
    let gate: Reading<GatewayMeasurement> = gateway();
    const client = await start({ readWifi: async () => radio, measureGateway: async () => gate });
    await vi.waitFor(async () => expect((await client.call('watch', {})).verdict).not.toBeNull());
    expect((await client.call('watch', {})).missingPermissions).toEqual([]);
    radio = wifi({ rssiDbm: refused, signalPercent: refused });
    gate = refused;
    await vi.waitFor(
      async () => expect((await client.call('watch', {})).missingPermissions.toSorted()).toEqual(['local_network', 'location']),
      SOON,
    );
    // Some drivers refuse one figure and tell the other.
    radio = wifi({ rssiDbm: refused, signalPercent: { value: 70 } });
    gate = gateway();
    await vi.waitFor(async () => expect((await client.call('watch', {})).missingPermissions).toEqual([]), SOON);
  });

  it('gives up what the machine slept through, measures anew and marks it', async () => {
    let sleeps = false;
    let waking = 0;
    const client = await start({
      measureSession: async ({ url }) => {
        if (sleeps) {
          steadyAheadMs += 2 * HOUR_MS;
          sleeps = false;
          waking += 1;
          return session({ url, totalMs: 2 * HOUR_MS });
        }
        return session({ url });
      },
    });
    await vi.waitFor(() => expect(client.states.at(-1)?.sessions[0]?.totalMs).toBe(120), { timeout: 5000 });
    expect((await client.call('watch', {})).context.resumed).toBe(false);
    sleeps = true;
    await vi.waitFor(() => expect(waking).toBe(1), { timeout: 8000 });
    await vi.waitFor(() => expect(lines.join()).toContain('Woke up'), { timeout: 5000 });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const results = await stopAndRead();
    const totals = results.flatMap((one) => (one.canary_type === 'endpoint.session' ? [one.metrics['total.ms'] ?? 0] : []));
    expect(Math.max(...totals)).toBe(120);
    const marked = results.filter((one) => one.attributes['svc.context.resumed'] === 'true');
    expect(new Set(marked.map((one) => one.canary_type))).toContain('endpoint.attribution');
    expect(marked.length).toBeLessThan(results.length / 2);
    expect(lines.filter((line) => line.includes('failed'))).toEqual([]);
  });

  it('shows what it measured, and a window’s word on battery and sleep', async () => {
    const client = await start({});
    await vi.waitFor(() => expect(client.states.at(-1)?.verdict?.cause).toBe('none'), { timeout: 8000 });
    const state = await client.call('watch', {});
    expect(state).toMatchObject({
      state: 'running',
      server: null,
      connected: false,
      wifi: { rssiDbm: { value: -55, unavailable: null }, signalPercent: { value: null, unavailable: 'not_supported' } },
      gateway: { rttMs: { value: 3 }, lossRatio: { value: 0 } },
      verdict: { layers: [{ layer: 'wifi' }, {}, {}, {}] },
      context: { onBattery: null, captivePortal: false },
    });
    expect(state.waiting).toBeGreaterThan(0);
    const note = { kind: 'window', onBattery: true, power: 'resume', tray: true, language: 'de' } as const;
    await client.call('note', note);
    expect((await client.call('watch', {})).context).toMatchObject({ onBattery: true, resumed: true });
    await vi.waitFor(() => expect(client.states.at(-1)?.context.resumed).toBe(false), { timeout: 5000 });
    const helpdesk = await client.call('helpdesk', {});
    expect(helpdesk).toMatchObject({ code: null, deviceName: 'desk', version: '1.2.3' });
  });
});
