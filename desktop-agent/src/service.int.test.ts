import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { status as grpcStatus } from '@grpc/grpc-js';
import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { findMetricKey } from '@svc/contracts/results/endpoint-results';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeRecord } from './publish/record.ts';
import { openDiskSpool } from './publish/spool-disk.ts';
import { type AgentProcess, startAgent } from './testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from './testing/control-plane.ts';

let plane: ControlPlane;
let stateDir: string;
let agent: AgentProcess | undefined;
beforeEach(async () => {
  [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-agent-'))]);
});
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.exited;
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
});

const QUICK = {
  SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '1',
  SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1',
  SVC_ENDPOINT_PATH_INTERVAL_SECONDS: '5',
  SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '5',
};
const run = (env: Record<string, string> = QUICK): AgentProcess => {
  agent = startAgent({ args: ['run', '--enroll-stdin', '--server', plane.url], stateDir, input: `${plane.token}\n`, env });
  return agent;
};
const ids = (): string[] => plane.received.map((result) => result.result_id);
/** Ids in the spool, read from a copy. */
async function readWaiting(): Promise<string[]> {
  const copy = await mkdtemp(join(stateDir, 'spool-copy-'));
  await cp(join(stateDir, 'spool'), copy, { recursive: true });
  const spool = await openDiskSpool({ directory: copy, maxBytes: 20 << 20 });
  const waiting: string[] = [];
  for (let batch = await spool.next(WIDE); batch; batch = await spool.next(WIDE))
    waiting.push(...batch.records.map((record) => decodeRecord(record).result.result_id));
  await spool.close();
  return waiting;
}
const WIDE = { results: 10_000, bytes: 10 << 20 };
const wait = { timeout: 40_000, interval: 50 };

describe('svc-agent run', { timeout: 120_000 }, () => {
  it('shows what it collects, enrols by standard input, and publishes valid results and its status', async () => {
    const { text } = run();
    const types = (): Set<string> => new Set(plane.received.map((one) => one.canary_type));
    for (const type of ['wifi', 'gateway', 'session', 'attribution'])
      await vi.waitFor(() => expect(types()).toContain(`endpoint.${type}`), wait);
    expect(text()).toContain('Never collected');
    expect(text()).toContain(`Sent to: ${plane.url}`);
    expect(text()).not.toContain(plane.token);
    expect(plane.statuses.at(0)).toMatchObject({ state: 'running', simulated: false, policy_version: 0 });
    expect(Date.parse(plane.statuses.at(0)?.disclosure_shown_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    for (const result of plane.received) {
      expect(CanonicalResult.safeParse({ ...result, tenant_id: 'default', agent_id: 'a' }).error).toBeUndefined();
      for (const key of Object.keys(result.metrics)) expect(findMetricKey(result.canary_type, key), key).toBeDefined();
    }
  });

  it('stops at once and cleanly on SIGTERM, and goes on where it was', async () => {
    const first = run();
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    const began = performance.now();
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(performance.now() - began).toBeLessThan(3000);
    const before = plane.enrolments.length;
    run();
    const count = plane.received.length;
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(count), wait);
    expect(plane.enrolments.length).toBe(before);
    expect(new Set(ids()).size).toBe(ids().length);
  });

  it('knows since when over a restart', async () => {
    const readOnset = async () => JSON.parse(await readFile(join(stateDir, 'onset.json'), 'utf8'));
    const first = run();
    // Right after a start nothing may be there to judge by.
    const judged = (): number => plane.received.filter((one) => one.attributes['endpoint.cause'] !== undefined).length;
    await vi.waitFor(() => expect(judged()).toBeGreaterThan(0), wait);
    first.child.kill('SIGTERM');
    await first.exited;
    const before = await readOnset();
    const sinceMs = before.sinceMs - 600_000;
    await writeFile(join(stateDir, 'onset.json'), JSON.stringify({ ...before, sinceMs }));
    const count = judged();
    run();
    await vi.waitFor(() => expect(judged()).toBeGreaterThan(count), wait);
    const after = await readOnset();
    expect(after.seenMs).toBeGreaterThan(before.seenMs);
    expect(after).toMatchObject({ cause: before.cause, sinceMs });
  });

  it('loses nothing when it is killed while the server is away, and sends in order later', async () => {
    const first = run();
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    await plane.stopListening();
    await vi.waitFor(() => expect(first.text()).toContain('Offline'), wait);
    await vi.waitFor(async () => expect((await readWaiting()).length).toBeGreaterThan(3), wait);
    first.child.kill('SIGKILL');
    expect(await first.exited).toBe('SIGKILL');
    const waiting = await readWaiting();
    expect(waiting.length).toBeGreaterThan(3);
    const seen = plane.received.length;
    await plane.listen();
    run();
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(seen + waiting.length), wait);
    // Everything that was on the disk, in the order in which it was measured, before anything newer, and nothing twice.
    expect(ids().slice(seen, seen + waiting.length)).toEqual(waiting);
    expect(new Set(ids()).size).toBe(ids().length);
    expect(plane.statuses.at(-1)?.spool_dropped).toBe(0);
  });

  it('follows a policy of the server at once and after a restart, and refuses one that is not valid', async () => {
    const first = run({});
    await vi.waitFor(() => expect(first.text()).toContain('Connected'), wait);
    plane.say({ policy_json: '{"version":7,"wifiIntervalSeconds":-3}' });
    await vi.waitFor(() => expect(first.text()).toContain('is not used'), wait);
    plane.say({
      policy_json: JSON.stringify({ version: 8, collect: { hostFacts: false, deviceName: false }, sessionTargets: [plane.url] }),
    });
    await vi.waitFor(
      () => expect(plane.statuses.at(-1)).toMatchObject({ policy_version: 8, os_version: '', device_name: '' }),
      wait,
    );
    await vi.waitFor(
      () => expect(plane.received.some((one) => one.attributes['svc.session.role'] === 'target')).toBe(true),
      wait,
    );
    first.child.kill('SIGTERM');
    await first.exited;
    plane.statuses.length = 0;
    const second = run({});
    await vi.waitFor(() => expect(plane.statuses.at(0)?.policy_version).toBe(8), wait);
    expect(second.text()).toContain('no   Name of this device');
  });

  it('enrols again once where the server forgot it', async () => {
    const first = run({});
    await vi.waitFor(() => expect(plane.statuses.length).toBeGreaterThan(0), wait);
    first.child.kill('SIGTERM');
    await first.exited;
    plane.faults.refuse = { code: 'not_found', status: grpcStatus.NOT_FOUND };
    const second = run({});
    await vi.waitFor(() => expect(plane.enrolments.length).toBe(2), wait);
    plane.faults = {};
    await vi.waitFor(() => expect(second.text()).toContain('Connected'), wait);
  });

  it('says that it needs an update and goes on measuring', async () => {
    plane.faults.refuse = { code: 'upgrade_required', status: grpcStatus.FAILED_PRECONDITION };
    const { text } = run();
    await vi.waitFor(() => expect(text()).toContain('Update required'), wait);
    plane.faults = {};
    await sleep(2500);
    // Not treated like a network fault: it does not come back by itself within seconds.
    expect(plane.received.length).toBe(0);
    expect(text().match(/Update required/g)).toHaveLength(1);
  });

  it('renews when the server asks and when its certificate has run out', async () => {
    plane.faults.leafLifeMs = -1000;
    const { text } = run({});
    await vi.waitFor(() => expect(plane.enrolments.length).toBe(1), wait);
    plane.faults = {};
    await vi.waitFor(() => expect(text()).toContain('Connected'), wait);
    const { renewals } = plane;
    expect(renewals).toBeGreaterThan(0);
    plane.say({ renew_now: true });
    await vi.waitFor(() => expect(plane.renewals).toBe(renewals + 1), wait);
  });

  it('lets no second agent onto the same state', async () => {
    const { text } = run({});
    await vi.waitFor(() => expect(text()).toContain('Connected'), wait);
    const other = startAgent({ args: ['run', '--enroll-stdin', '--server', plane.url], stateDir });
    expect(await other.exited).toBe(1);
    expect(other.text()).toMatch(/Another agent \(process \d+\) already runs/);
  });
});
