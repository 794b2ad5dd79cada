import { setTimeout as sleep } from 'node:timers/promises';
import type { WireResult } from '@svc/contracts/agent/messages';
import { DeviceView } from '@svc/contracts/endpoint/view';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { deviceCredentials, makeStatus, openConnect, openPublish } from '../../fleet/test-devices.ts';
import { type EndpointStack, makeWeakWifiRound, makeWire, startEndpointStack } from '../test-stack.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

let stack: EndpointStack;
let tenant: TenantId;
let id: string;
/** Before the results of now; the tests look at hours before it. */
let began: number;

const ago = (hours: number, minutes = 0): number => began - hours * HOUR - minutes * MINUTE;
const at = (ms: number, part: Partial<WireResult>): WireResult => makeWire({ started_at_us: ms * 1000, ...part });
const session = (ms: number, totalMs: number, part: Partial<WireResult> = {}): WireResult =>
  at(ms, {
    canary_type: 'endpoint.session',
    server_address: 'crm.example',
    success: 1,
    metrics: { 'dns.ms': 4, 'total.ms': totalMs },
    attributes: { 'svc.session.role': 'target' },
    ...part,
  });
const failed = (ms: number): WireResult =>
  session(ms, 34, {
    success: 2,
    error: 'CERT_HAS_EXPIRED',
    attributes: { 'svc.session.role': 'target', 'error.phase': 'tls' },
  });
const path = (ms: number, hops: number, rttMs: number): WireResult =>
  at(ms, {
    canary_type: 'endpoint.lastmile',
    server_address: '198.51.100.9',
    metrics: {
      hops,
      ...Object.fromEntries(Array.from({ length: hops }, (_, i) => [`hop.${i + 1}.rtt.avg.ms`, rttMs * (i + 1)])),
    },
    attributes: { 'network.trace.reached': 'true' },
  });
const verdict = (ms: number, cause: string): WireResult =>
  at(ms, {
    canary_type: 'endpoint.attribution',
    metrics: { confidence: 0.8, 'score.wifi': 90, 'score.local': 80, 'score.isp': cause === 'isp' ? 20 : 85 },
    attributes: { 'endpoint.cause': cause, 'endpoint.summary': `then: ${cause}` },
  });

const view = async (from: number, to: number): Promise<DeviceView> =>
  DeviceView.parse(
    await stack.callAs(tenant).endpoint.device({ id, from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
  );

beforeAll(async () => {
  stack = await startEndpointStack();
  tenant = await stack.addTenant('acme');
  await stack.startConsumers();
  const { identity, keyPem } = await stack.enrolDevice(tenant);
  id = identity.agent_id;
  began = Math.floor(stack.clock.now() / MINUTE) * MINUTE;
  const options = { address: stack.address, credentials: deviceCredentials(identity, keyPem) };
  const [connect, publish] = [openConnect(options), openPublish(options)];
  connect.stream.write(makeStatus({ device_name: 'LIS-LT-0139' }));
  const usual = Array.from({ length: 9 }, (_, day) => session(ago(24 * (day + 1)), 100 + day));
  const night = [
    ...[verdict(ago(8, 30), 'none'), verdict(ago(8, 29), 'isp'), verdict(ago(8, 5), 'isp'), path(ago(8, 10), 4, 5)],
    ...[session(ago(8, 20), 300), failed(ago(8, 15)), failed(ago(8, 12)), session(ago(8, 11), 500), failed(ago(8, 6))],
    at(ago(8, 7), { metrics: { 'rtt.avg.ms': 44 }, attributes: { 'network.gateway.address': '10.9.9.9' } }),
  ];
  publish.stream.write({ sequence: 1, results: [...usual, ...night, ...makeWeakWifiRound()] });
  await Promise.all([connect.next(1), publish.next(1)]);
  await Promise.all([connect.stop(), publish.stop()]);
  await stack.fleet.flushContacts();
  for (let tries = 0; tries < 100; tries += 1) {
    const shown = await view(ago(24), began + MINUTE);
    if (shown.endpoint.verdict === 'wifi' && shown.sessions.length > 0) break;
    await sleep(100);
  }
});
afterAll(async () => {
  await stack?.close();
});

describe('a device page of a window', () => {
  it('up to now is of what was measured last', async () => {
    const now = await view(ago(1), began + MINUTE);
    expect(now.window.is_now).toBe(true);
    expect(now.endpoint).toMatchObject({ verdict: 'wifi', gateway_address: '10.20.3.1', worst_session_ms: { value: 6400 } });
    expect(now.paths.map(({ hops }) => hops.length)).toEqual([3]);
    expect(now.sessions).toMatchObject([{ target: 'crm.example', total_ms: 6400, window: { count: 1, failed: 0 } }]);
  });

  it('that has passed is of what was measured last within it, sentence, layers, path, sessions and facts', async () => {
    const night = await view(ago(9), ago(8));
    expect(night.window).toEqual({ from: new Date(ago(9)).toISOString(), to: new Date(ago(8)).toISOString(), is_now: false });
    expect(night.endpoint).toMatchObject({
      ...{ id, name: 'LIS-LT-0139', verdict: 'isp', confidence: 0.8 },
      summary: expect.stringMatching(/^Slow because of the ISP since \d{4}-\d\d-\d\d \d\d:\d\d UTC\./),
      ...{ verdict_since: new Date(ago(8, 29)).toISOString(), gateway_address: '10.9.9.9', gateway_rtt_ms: { value: 44 } },
      ...{ worst_session_ms: { value: null }, session_failures: { failed: 1, of: 1, target: 'crm.example', phase: 'tls' } },
    });
    expect(night.layers_at).toBe(new Date(ago(8, 5)).toISOString());
    expect(night.layers.map(({ layer, score }) => [layer, score])).toEqual([
      ['wifi', 90],
      ['local', 80],
      ['isp', 20],
      ['network', null],
    ]);
    expect(night.paths).toMatchObject([{ measured_at: new Date(ago(8, 10)).toISOString() }]);
    expect(night.paths[0]?.hops.map(({ rtt_ms }) => rtt_ms)).toEqual([5, 10, 15, 20]);
    expect(night.verdicts.map(({ verdict: one }) => one)).toEqual(['none', 'isp', 'isp']);
  });

  it('keeps failures out of its times and names where they failed', async () => {
    const [night] = (await view(ago(9), ago(8))).sessions;
    expect(night).toMatchObject({
      ...{ success: false, error_phase: 'tls', total_ms: 34, other_ms: 30, measured_at: new Date(ago(8, 6)).toISOString() },
      window: { count: 5, failed: 3, phases: [{ phase: 'tls', count: 3 }], median_ms: 400, worst_ms: 500 },
    });
  });

  it('takes the usual time from the seven days before it, or has too few to say', async () => {
    const night = await view(ago(9), ago(8));
    expect(night.usual).toEqual({
      ...{ from: new Date(ago(9 + 7 * 24)).toISOString(), to: new Date(ago(9)).toISOString(), least: 5 },
    });
    // One session a day, 24 h to 7 days before now: 100 to 106 ms.
    expect(night.sessions[0]).toMatchObject({ usual_count: 7, usual_ms: 103 });
    const lately = await view(ago(24 * 6), began + MINUTE);
    expect(lately.sessions[0]).toMatchObject({ usual_count: 3, usual_ms: null });
  });

  it('is empty where nothing was measured, and says so', async () => {
    const empty = await view(ago(5), ago(4));
    expect(empty).toMatchObject({ layers_at: null, paths: [], sessions: [], not_shown: [], verdicts: [], suggestion: null });
    expect(empty.endpoint).toMatchObject({ verdict: 'no_contact', summary: null, gateway_rtt_ms: { value: null } });
    expect(empty.layers.map(({ score }) => score)).toEqual([null, null, null, null]);
  });

  it("is nothing to another tenant's people", async () => {
    const rival = await stack.addTenant('rival');
    const asked = stack
      .callAs(rival)
      .endpoint.device({ id, from: new Date(ago(9)).toISOString(), to: new Date(ago(8)).toISOString() });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
