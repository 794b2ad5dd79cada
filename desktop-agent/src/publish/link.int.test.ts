import { setTimeout as sleep } from 'node:timers/promises';
import { status as grpcStatus } from '@grpc/grpc-js';
import type { AgentStatus, ServerMessage } from '@svc/contracts/agent/messages';
import { uuidv7 } from 'uuidv7';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { enroll } from '../identity/enroll.ts';
import type { Credentials } from '../identity/identity.ts';
import { emptyResult } from '../result.ts';
import { type ControlPlane, startControlPlane } from '../testing/control-plane.ts';
import type { Ending } from './ending.ts';
import { createLink, type Link, type LinkDeps, type LinkState } from './link.ts';
import { encodeRecord } from './record.ts';
import type { Spool } from './spool.ts';
import { createMemorySpool } from './spool-memory.ts';

let plane: ControlPlane;
let held: Credentials;
beforeAll(async () => {
  plane = await startControlPlane();
  held = await enroll({ server: plane.url, token: plane.token, facts: { agent_version: '0.1.0' } });
});
afterAll(() => plane.close());

let link: Link | undefined;
let spool: Spool;
let states: LinkState[];
let messages: ServerMessage[];
let recovered: Ending[];
beforeEach(() => {
  spool = createMemorySpool(10 << 20);
  states = [];
  messages = [];
  recovered = [];
  plane.faults = {};
  plane.received.length = 0;
  plane.statuses.length = 0;
});
afterEach(async () => {
  await link?.stop();
});

/** Generous: the machine that runs the tests may be busy. */
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 15_000, interval: 20 });

const told: AgentStatus = {
  state: 'running',
  paused_until_ms: 0,
  agent_version: '0.1.0',
  os: 'linux',
  os_version: '',
  arch: 'x64',
  model: '',
  policy_version: 3,
  spool_results: 0,
  spool_dropped: 0,
  device_name: '',
  clock_ms: 1,
  disclosure_shown_at: '',
  simulated: false,
};

const begin = (over: Partial<LinkDeps> = {}): Link => {
  link = createLink({
    spool,
    credentials: async () => held,
    recover: async (ending) => {
      recovered.push(ending);
    },
    status: () => told,
    onMessage: (message) => messages.push(message),
    onDelivered: async () => undefined,
    onState: (state) => states.push(state),
    lingerMs: 20,
    backOff: { firstMs: 20, maxMs: 100, slowMs: 60_000, random: Math.random },
    ...over,
  });
  return link;
};

async function add(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  const records = ids.map((resultId) => {
    const result = emptyResult('endpoint.gateway', { resultId, startedAtMs: Date.now() });
    result.metrics['rtt.avg.ms'] = 3.25;
    return encodeRecord({ result, withheld: { 'network.gateway.address': '192.168.1.1' } });
  });
  await spool.append(records);
  return ids;
}
const receivedIds = (): string[] => plane.received.map((result) => result.result_id);

it('sends what waits in order, forgets it once acknowledged, and tells its status', async () => {
  const ids = await add(1500);
  const delivered = vi.fn(async () => undefined);
  begin({ onDelivered: delivered });
  await eventually(() => expect(receivedIds()).toEqual(ids));
  await eventually(() => expect(spool.status().results).toBe(0));
  expect(delivered).toHaveBeenCalledTimes(3);
  expect(plane.received[0]?.metrics).toEqual({ 'rtt.avg.ms': 3.25 });
  // What was withheld stays at home.
  expect(JSON.stringify(plane.received)).not.toContain('192.168.1.1');
  await eventually(() => expect(plane.statuses[0]).toMatchObject({ state: 'running', policy_version: 3 }));
  expect(states.at(-1)).toMatchObject({ connected: true, problem: null });
  const more = await add(2);
  link?.wake('linger');
  await eventually(() => expect(receivedIds().slice(-2)).toEqual(more));
});

it('comes back after a cut and loses nothing, though the server may see a batch twice', async () => {
  plane.faults.ackDelayMs = 30;
  begin();
  const ids: string[] = [];
  for (let round = 0; round < 6; round++) {
    ids.push(...(await add(20)));
    link?.wake('now');
    await sleep(25);
    if (round % 2 === 1) {
      await plane.stopListening();
      await plane.listen();
    }
  }
  await eventually(() => expect(spool.status().results).toBe(0));
  expect([...new Set(receivedIds())]).toEqual(ids);
  expect(spool.status().dropped).toBe(0);
  expect(states.some((state) => state.problem === 'network' || state.problem === null)).toBe(true);
});

it('sends again what was never acknowledged', async () => {
  plane.faults.mute = true;
  const ids = await add(5);
  begin();
  await eventually(() => expect(plane.statuses.length).toBeGreaterThan(0));
  await sleep(50);
  expect(spool.status().results).toBe(5);
  plane.faults.mute = false;
  await plane.stopListening();
  await plane.listen();
  await eventually(() => expect(receivedIds()).toEqual(ids));
});

it('shows that it is outdated and does not hammer', async () => {
  plane.faults.refuse = { code: 'upgrade_required', status: grpcStatus.FAILED_PRECONDITION };
  begin();
  await eventually(() => expect(states.at(-1)).toMatchObject({ connected: false, problem: 'upgrade_required' }));
  await sleep(400);
  expect(states.filter((state) => state.problem === 'upgrade_required').length).toBe(1);
  plane.faults = {};
  link?.retryNow();
  await eventually(() => expect(states.at(-1)).toMatchObject({ connected: true }));
});

it('asks for help where the server does not know or take its certificate, and stops asking a revoked one', async () => {
  plane.faults.refuse = { code: 'not_found', status: grpcStatus.NOT_FOUND };
  begin();
  await eventually(() => expect(recovered.at(0)?.kind).toBe('unknown_agent'));
  plane.faults.refuse = { code: 'unauthorized', status: grpcStatus.UNAUTHENTICATED };
  await eventually(() => expect(recovered.at(-1)?.kind).toBe('unauthorized'));
  plane.faults.refuse = { code: 'forbidden', status: grpcStatus.PERMISSION_DENIED };
  await eventually(() => expect(states.at(-1)).toMatchObject({ problem: 'forbidden' }));
  const count = states.length;
  await sleep(300);
  expect(states.length).toBe(count);
});

it('hears run-now and policy from the server, and stops at once', async () => {
  begin();
  await eventually(() => expect(states.at(-1)?.connected).toBe(true));
  plane.say({ run_now: true, policy_json: '{"version":4}' });
  // Receipts for statuses come between.
  await eventually(() =>
    expect(messages.find((one) => one.run_now)).toMatchObject({ run_now: true, policy_json: '{"version":4}' }),
  );
  const began = Date.now();
  await link?.stop();
  expect(Date.now() - began).toBeLessThan(500);
});

it('tells its status in each interval in which nothing else is sent, and now and then beside results', async () => {
  begin({ statusIntervalMs: 100 });
  await eventually(() => expect(plane.statuses.length).toBeGreaterThan(4));
  const before = plane.statuses.length;
  const began = performance.now();
  // Results in each interval.
  for (let turn = 0; turn < 30; turn += 1) {
    await add(1);
    link?.wake('now');
    await sleep(50);
  }
  const told = plane.statuses.length - before;
  const beats = Math.ceil((performance.now() - began) / 100);
  expect(told).toBeGreaterThan(0);
  expect(told).toBeLessThan(beats / 2);
});

it('stops at once while nobody answers', async () => {
  await plane.stopListening();
  begin({ backOff: { firstMs: 60_000, maxMs: 60_000, slowMs: 60_000, random: () => 1 } });
  await eventually(() => expect(states.at(-1)?.problem).toBe('network'));
  const began = Date.now();
  await link?.stop();
  expect(Date.now() - began).toBeLessThan(500);
  await plane.listen();
});
