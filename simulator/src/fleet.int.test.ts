import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EndpointPage } from '@svc/contracts/endpoint/view';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMeasuring, trueCauseAt } from './domain/conditions.ts';
import { planFleet } from './domain/plan-fleet.ts';
import { readOptions } from './options.ts';
import { type Report, runFleet } from './run-fleet.ts';
import { startTestingServer, type TestingServer } from './testing-server.ts';

const DEVICES = 12;
const SEED = 5;
const METRICS_TOKEN = 'm'.repeat(32);

let server: TestingServer;
let apiToken: string;
let enrolToken: string;
beforeAll(async () => {
  server = await startTestingServer({ env: { SVC_METRICS_TOKEN: METRICS_TOKEN } });
  await server.svc('tenant', 'create', 'demo', '--name', 'Fennmark', '--simulated');
  const tenant = ['--tenant', 'demo'];
  [enrolToken, apiToken] = (await Promise.all([
    server.svc('enroll-token', 'create', ...tenant, '--uses', '40', '--quiet'),
    server.svc('token', 'create', ...tenant, '--role', 'viewer', '--expires', '1h'),
  ])) as [string, string];
});
afterAll(async () => await server?.stop());

/** What the server answers, which has an authority of its own. */
function ask(path: string, token: string): Promise<string> {
  const ca = readFileSync(join(server.dataDir, 'tls', 'ca.crt'));
  return new Promise((resolve, reject) => {
    const call = request(`${server.url}${path}`, { ca, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      text(answer).then((body) => {
        if (answer.statusCode === 200) resolve(body);
        else reject(new Error(`${path}: ${answer.statusCode} ${body}`));
      }, reject);
    });
    call.once('error', reject);
    call.end();
  });
}

/** The fleet page's own query. */
async function listFleet(): Promise<EndpointPage> {
  const input = encodeURIComponent(JSON.stringify({ limit: 50 }));
  return JSON.parse(await ask(`/trpc/endpoint.list?input=${input}`, apiToken)).result.data;
}

/** Messages of results that the server has taken and its consumers have not handled yet, by consumer. */
async function readLag(): Promise<number[]> {
  const metrics = await ask('/metrics', METRICS_TOKEN);
  return [...metrics.matchAll(/^svc_bus_lag\{topic="svc\.endpoint\.results"[^}]*\} (\d+)/gm)].map(([, lag]) => Number(lag));
}

const BLAMED: ReadonlySet<string> = new Set(['wifi', 'local', 'isp', 'network', 'unknown']);

/** docs/examples/client.ts as a process of its own that trusts the server's authority. */
async function runExample(args: readonly string[]): Promise<{ code: number; out: string; faults: string }> {
  const example = join(import.meta.dirname, '..', '..', 'docs', 'examples', 'client.ts');
  const env = { PATH: '/usr/bin:/bin', NODE_EXTRA_CA_CERTS: join(server.dataDir, 'tls', 'ca.crt') };
  const child = spawn(process.execPath, [example, ...args], { env });
  const [out, faults] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'close');
  return { code, out: await out, faults: await faults };
}

interface Told {
  results: number;
  refused: string[];
}

async function runOnce(state: string): Promise<Told> {
  const told: Told = { results: 0, refused: [] };
  const report: Report = {
    planned: () => {},
    enrolled: () => {},
    connected: () => {},
    backfilled: () => {},
    complete: ({ results }) => {
      told.results = results;
    },
    refused: (reasons) => told.refused.push(...reasons),
    lost: () => {},
  };
  const argv = ['--server', server.url, '--token', enrolToken, '--devices', String(DEVICES), '--hours', '2'];
  const options = readOptions([...argv, '--seed', String(SEED), '--state', state], () => '');
  if (!options) throw new Error('no options');
  await runFleet(options, report, new AbortController().signal);
  return told;
}

/** The fleet once all that was sent is in the view: a device is judged long before its last hour has come through. */
async function readFleet(): Promise<EndpointPage> {
  const isHandled = async () => {
    const lag = await readLag();
    return lag.length > 0 && lag.every((waiting) => waiting === 0);
  };
  await expect.poll(isHandled, { timeout: 60_000 }).toBe(true);
  // What agents say of themselves is written by the second, apart from their results.
  const hasStatuses = async () => (await listFleet()).items.every(({ simulated }) => simulated);
  await expect.poll(hasStatuses, { timeout: 60_000 }).toBe(true);
  return await listFleet();
}

describe('a fleet of every fate, against the real server', () => {
  // Whoever fell silent before these two hours, or is paused or refused now, has no verdict.
  const devices = planFleet(DEVICES, SEED).filter(({ silentFromMs }) => silentFromMs === null);
  const measuring = devices.filter((device) => isMeasuring(device, 0));

  it('has the verdicts of the ground truth, and nobody twice when it runs again', async () => {
    const state = join(server.dataDir, 'demo', 'fleet.json');
    const told = await runOnce(state);
    expect(told.refused).toEqual([]);
    expect(told.results).toBeGreaterThan(measuring.length * 23 * 6);
    const page = await readFleet();
    expect(page.total).toBe(devices.length);
    expect(page.items.every(({ simulated }) => simulated)).toBe(true);
    const truth = Object.fromEntries(measuring.map((device) => [device.owner + device.site, trueCauseAt(device, -1)]));
    const shown = page.items.map((item): [string, string] => [`${item.owner}${item.site}`, item.verdict]);
    expect(Object.fromEntries(shown.filter(([key]) => key in truth))).toEqual(truth);
    expect(new Set(Object.values(truth))).toEqual(new Set(['wifi', 'local', 'isp', 'network', 'unknown', 'none']));
    for (const fate of ['paused', 'declined']) expect(shown.filter(([, verdict]) => verdict === fate)).toHaveLength(1);
    const [closed] = page.items.filter(({ state }) => state === 'needs_permission');
    expect(closed).toMatchObject({
      verdict: 'none',
      face: 'window',
      missing_permissions: ['location'],
      wifi_rssi_dbm: { value: null, unavailable: 'permission' },
    });
    const declined = page.items.find(({ verdict }) => verdict === 'declined');
    expect(declined).toMatchObject({ disclosure: 'declined', confidence: null });

    const again = await runOnce(state);
    expect(again.results).toBeLessThan(told.results / 4);
    // What follows reads the fleet twice, and nothing comes in between.
    expect((await readFleet()).total).toBe(devices.length);
  });

  it('is read by the example of the documentation, run as it is written there', async () => {
    const slow = (await listFleet()).items.filter(({ verdict }) => BLAMED.has(verdict));
    expect(slow.length).toBeGreaterThan(0);
    const { code, out, faults } = await runExample([server.url, apiToken]);
    expect([code, faults]).toEqual([0, '']);
    const [first, ...lines] = out.trim().split('\n');
    expect(first).toBe(`${slow.length} of ${devices.length} devices are slow.`);
    expect(lines.toSorted()).toEqual(slow.map((item) => `${item.name ?? item.id}: ${item.summary ?? item.verdict}`).toSorted());
    expect(await runExample([server.url, 'svc_pat_wrong'])).toMatchObject({
      code: 1,
      faults: expect.stringContaining('Sign in'),
    });
    expect(await runExample([])).toMatchObject({ code: 2, faults: 'usage: node client.ts URL TOKEN\n' });
  });

  it('has a device that is too old for this server once it is live', async () => {
    const argv = ['--server', server.url, '--token', enrolToken, '--devices', String(DEVICES), '--hours', '2', '--live'];
    const state = ['--seed', String(SEED), '--state', join(server.dataDir, 'demo', 'fleet.json')];
    const options = readOptions([...argv, ...state], () => '');
    if (!options) throw new Error('no options');
    const silent: Report = {
      planned: () => {},
      enrolled: () => {},
      connected: () => {},
      backfilled: () => {},
      complete: () => {},
      refused: () => {},
      lost: () => {},
    };
    const stop = new AbortController();
    const running = runFleet(options, silent, stop.signal);
    const outdated = async () => (await listFleet()).items.filter(({ verdict }) => verdict === 'update_required');
    await expect.poll(outdated, { timeout: 30_000 }).toHaveLength(1);
    expect((await outdated())[0]).toMatchObject({ state: 'update_required', outdated: true });
    stop.abort();
    await running;
  });

  it('marks the tenant as simulated', async () => {
    expect(JSON.parse(await server.svc('tenant', 'list', '--json'))).toContainEqual(
      expect.objectContaining({ id: 'demo', name: 'Fennmark', simulated: true }),
    );
  });
});
