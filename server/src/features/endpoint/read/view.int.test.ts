import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import { DeviceView, EndpointPage, FleetSummary } from '@svc/contracts/endpoint/view';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { deviceCredentials, makeStatus, openConnect, openPublish } from '../../fleet/test-devices.ts';
import { type EndpointStack, makeWeakWifiRound, makeWire, startEndpointStack } from '../test-stack.ts';

let stack: EndpointStack;
let acme: TenantId;
let rival: TenantId;

beforeAll(async () => {
  stack = await startEndpointStack();
  acme = await stack.addTenant('acme');
  rival = await stack.addTenant('rival');
});
afterAll(async () => {
  await stack.close();
});

const list = async (tenant: TenantId, filter = {}) => EndpointPage.parse(await stack.callAs(tenant).endpoint.list({ filter }));

/** A device of the tenant that said who it is and sent one round. */
async function startDevice(tenant: TenantId, name: string, round = makeWeakWifiRound()) {
  const { identity, keyPem } = await stack.enrolDevice(tenant);
  const options = { address: stack.address, credentials: deviceCredentials(identity, keyPem) };
  const [connect, publish] = [openConnect(options), openPublish(options)];
  connect.stream.write(makeStatus({ device_name: name }));
  publish.stream.write({ sequence: 1, results: round });
  await Promise.all([connect.next(1), publish.next(1)]);
  await Promise.all([connect.stop(), publish.stop()]);
  return identity.agent_id;
}

async function until<T>(read: () => Promise<T>, isReady: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 100; tries += 1) {
    const value = await read();
    if (isReady(value)) return value;
    await sleep(100);
  }
  throw new Error('it did not become so within 10 s');
}

describe('the fleet before and after its consumer runs', () => {
  it('tells a collector that is not wired from an empty fleet', async () => {
    expect(await list(acme)).toMatchObject({ total: 0, matched: 0, collector_running: false });
    await stack.startConsumers();
    expect(
      await until(
        async () => await list(acme),
        (page) => page.collector_running,
      ),
    ).toMatchObject({ total: 0 });
  });
});

describe('a device with weak Wi-Fi', () => {
  let id: string;
  beforeAll(async () => {
    id = await startDevice(acme, 'LIS-LT-0139');
    await stack.fleet.flushContacts();
  });

  it("is found by the code that its person reads to the helpdesk, by its own tenant's people alone", async () => {
    const atMs = Date.now() - 3 * 3_600_000;
    const code = encodeHelpdeskCode(id, atMs);
    const minute = new Date(Math.floor(atMs / 60_000) * 60_000).toISOString();
    const found = { at: minute, items: [{ id, name: 'LIS-LT-0139', site: null }] };
    expect(await stack.callAs(acme).endpoint.findByCode({ code: code.toLowerCase() })).toEqual(found);
    expect(await stack.callAs(rival).endpoint.findByCode({ code })).toEqual({ at: minute, items: [] });
    expect((await list(acme, { search: code })).items.map((row) => row.id)).toEqual([id]);
    expect(await list(rival, { search: code })).toMatchObject({ matched: 0 });
    const wrong = `${code.slice(0, -1)}${code.endsWith('0') ? '1' : '0'}`;
    await expect(stack.callAs(acme).endpoint.findByCode({ code: wrong })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('says whether it has a face, what its system withholds and how far the disclosure got', async () => {
    const options = await stack.enrolDevice(acme);
    const creds = { address: stack.address, credentials: deviceCredentials(options.identity, options.keyPem) };
    const connect = openConnect(creds);
    connect.stream.write(
      makeStatus({
        device_name: 'faced',
        state: 'needs_permission',
        face: 'window',
        missing_permissions: ['location', 'local_network'],
        disclosure: 'shown',
      }),
    );
    await connect.next(1);
    await connect.stop();
    await stack.fleet.flushContacts();
    const { items } = await list(acme, { search: 'faced' });
    for (const filter of [{ face: ['window'] }, { missing_permission: ['local_network'] }, { face: ['window', 'headless'] }])
      expect((await list(acme, filter)).items.map(({ name }) => name)).toEqual(['faced']);
    expect(await list(acme, { face: ['headless'] })).toMatchObject({ matched: 0 });
    const said = { face: 'window', missing_permissions: ['location', 'local_network'], disclosure: 'shown' };
    expect(items[0]).toMatchObject({ verdict: 'needs_permission', ...said });
    expect((await stack.callAs(acme).endpoint.csv({ search: 'faced' })).trim()).toMatch(/,,window,location local_network,shown$/);
    expect((await list(acme, { search: 'LIS-LT-0139' })).items[0]).toMatchObject({
      face: null,
      missing_permissions: [],
      disclosure: null,
    });
    await stack.callAs(acme).fleet.agents.retire({ ids: [options.identity.agent_id] });
  });

  it('is in the fleet with its verdict, the reason and the readings behind it', async () => {
    // Two consumers make this row: the view its verdict, results its strip.
    const isThere = ({ items: [row] }: EndpointPage) => row?.verdict === 'wifi' && row.strip_24h.at(-1) === 'wifi';
    const page = await until(async () => await list(acme), isThere);
    expect(page).toMatchObject({ total: 1, matched: 1 });
    expect(page.items[0]).toMatchObject({
      id,
      name: 'LIS-LT-0139',
      verdict: 'wifi',
      summary: expect.stringMatching(
        /^Slow because of Wi-Fi: signal near −82.dBm since \d{4}-\d\d-\d\d \d\d:\d\d UTC, too weak for a fast connection\.$/,
      ),
      confidence: 0.9,
      connection: 'wifi',
      wifi_rssi_dbm: { value: -82, unavailable: null },
      gateway_rtt_ms: { value: 4, unavailable: null },
      gateway_loss_ratio: { value: 0, unavailable: null },
      isp_rtt_ms: { value: 12, unavailable: null },
      worst_session_ms: { value: 6400, unavailable: null },
      worst_session_target: 'crm.example',
      gateway_address: '10.20.3.1',
      outdated: false,
    });
    expect(page.items[0]?.strip_24h).toHaveLength(24);
    expect(page.items[0]?.strip_24h.at(-1)).toBe('wifi');
  });

  it('has a page with layers, path, sessions, what is not shown and one thing to try', async () => {
    const view = DeviceView.parse(await stack.callAs(acme).endpoint.device({ id }));
    expect(view.layers).toEqual([
      { layer: 'wifi', score: 31, unavailable: null, behind: null },
      { layer: 'local', score: null, unavailable: null, behind: 'wifi' },
      { layer: 'isp', score: null, unavailable: null, behind: 'wifi' },
      { layer: 'network', score: null, unavailable: null, behind: 'wifi' },
    ]);
    expect(view.suggestion).toMatch(/closer to the access point .*\u221282\u202fdBm/);
    expect(view.advice).toMatchObject({ code: 'move_closer', measure: { measure: 'wifi_rssi_dbm', value: -82 }, shared: null });
    expect(view.paths[0]).toMatchObject({ target: '198.51.100.9', reached: true });
    expect(view.paths[0]?.hops).toEqual([
      { hop: 1, segment: 'local', address: '10.20.3.1', unavailable: null, rtt_ms: 4, loss_ratio: null },
      { hop: 2, segment: 'isp-edge', address: null, unavailable: 'withheld', rtt_ms: 12, loss_ratio: null },
      { hop: 3, segment: null, address: null, unavailable: null, rtt_ms: null, loss_ratio: null },
    ]);
    expect(view.sessions[0]).toMatchObject({
      target: 'crm.example',
      total_ms: 6400,
      dns_ms: 20,
      other_ms: 5930,
      usual_ms: null,
      usual_count: 0,
    });
    expect(view.window.is_now).toBe(true);
    expect(view.not_shown).toContainEqual({ field: 'endpoint.wifi.noise.dbm', code: 'not_supported' });
    expect(view.verdicts.at(-1)).toMatchObject({ verdict: 'wifi' });
  });

  it('has the same page over a week, and charts in whole hours over 13 months', async () => {
    const { endpoint } = stack.callAs(acme);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const week = await endpoint.device({ id, from: daysAgo(7) });
    expect(week.sessions[0]).toMatchObject({ target: 'crm.example', window: { count: 1, failed: 0, median_ms: 6400 } });
    const metrics = ['svc_endpoint_wifi_rssi_dbm'];
    const year = await endpoint.series({ id, metrics, from: daysAgo(390) });
    expect(year).toMatchObject({ step_ms: 32 * 3_600_000, series: [{ avg: [-82] }] });
    const tooLong = endpoint.series({ id, metrics, from: daysAgo(400) });
    await expect(tooLong).rejects.toMatchObject({
      cause: { faults: [{ path: 'from', message: expect.stringContaining('396 days') }] },
    });
    await expect(endpoint.history({ id, from: daysAgo(40) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('has charts, history and the latest of each signal over REST shapes', async () => {
    const { endpoint } = stack.callAs(acme);
    const { series } = await endpoint.series({ id, metrics: ['svc_endpoint_wifi_rssi_dbm'] });
    expect(series[0]).toMatchObject({ metric: 'svc_endpoint_wifi_rssi_dbm', avg: [-82] });
    const all = (await endpoint.history({ id })).items;
    expect(all).toHaveLength(5);
    const pages: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await endpoint.history({ id, limit: 2, ...(cursor ? { cursor } : {}) });
      pages.push(...page.items.map((item) => item.result_id));
      if (!page.next_cursor) break;
      cursor = page.next_cursor;
    }
    expect(new Set(pages)).toEqual(new Set(all.map((item) => item.result_id)));
    expect(pages).toHaveLength(5);
    const latest = await endpoint.latest({});
    expect(latest).toMatchObject({ collector_running: true, next_cursor: null });
    expect(latest.items[0]?.signals.map((signal) => signal.canary_type).sort()).toEqual([
      'endpoint.attribution',
      'endpoint.gateway',
      'endpoint.lastmile',
      'endpoint.session',
      'endpoint.wifi',
    ]);
  });

  it('is nothing to another tenant', async () => {
    const { endpoint } = stack.callAs(rival);
    expect(await list(rival)).toMatchObject({ total: 0, items: [] });
    expect((await endpoint.latest({})).items).toEqual([]);
    expect(await endpoint.csv({})).not.toContain('LIS-LT');
    expect((await endpoint.summary({})).total).toBe(0);
    await expect(endpoint.device({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(endpoint.history({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(endpoint.series({ id, metrics: ['svc_endpoint_wifi_rssi_dbm'] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('reads "no contact" after ten minutes of silence, and is gone when it is retired', async () => {
    stack.clock.advance(11 * 60_000);
    expect((await list(acme)).items[0]).toMatchObject({ verdict: 'no_contact', summary: null, confidence: null });
    expect((await list(acme, { verdict: ['no_contact'] })).matched).toBe(1);
    stack.clock.advance(-11 * 60_000);
    await stack.callAs(acme).fleet.agents.rename({ id, name: '=HYPERLINK("x")' });
    expect((await stack.callAs(acme).endpoint.csv({ search: 'hyperlink' })).split('\r\n')[1]).toContain(`"'=HYPERLINK(""x"")"`);
    await stack.callAs(acme).fleet.agents.retire({ ids: [id] });
    expect(await list(acme)).toMatchObject({ total: 0 });
  });
});

describe('a device that its person silenced', () => {
  const HOUR_MS = 3_600_000;

  /** Tells states one after the other, an hour apart. */
  async function tellStates(tenant: TenantId, states: readonly { state: string; paused_until_ms?: number }[]) {
    const { identity, keyPem } = await stack.enrolDevice(tenant);
    const options = { address: stack.address, credentials: deviceCredentials(identity, keyPem) };
    for (const status of states) {
      const connect = openConnect(options);
      connect.stream.write(makeStatus({ clock_ms: stack.clock.now(), ...status }));
      await connect.next(1);
      await connect.stop();
      await stack.fleet.flushContacts();
      stack.clock.advance(HOUR_MS);
    }
    return identity.agent_id;
  }

  it('shows on its strip when it was paused and since when it is declined, apart from what was off', async () => {
    const tenant = await stack.addTenant('silenced');
    const began = stack.clock.now();
    const until = began + HOUR_MS / 2;
    const id = await tellStates(tenant, [
      { state: 'paused', paused_until_ms: until },
      { state: 'running' },
      { state: 'declined' },
    ]);
    const { verdicts, endpoint } = await stack.callAs(tenant).endpoint.device({ id });
    const told = verdicts.map(({ verdict, from, to }) => [
      verdict,
      Math.round((Date.parse(from) - began) / 60_000),
      Math.round((Date.parse(to) - began) / 60_000),
    ]);
    expect(told).toEqual([
      ['paused', 0, 30],
      ['declined', 120, 180],
    ]);
    expect(endpoint.strip_24h).toContain('declined');
    expect(endpoint.strip_24h.filter((hour) => hour === 'not_measured').length).toBeGreaterThan(19);
    stack.clock.advance(-3 * HOUR_MS);
  });

  it('is paused while its pause lasts though nothing is heard of it, and missing afterwards', async () => {
    const tenant = await stack.addTenant('pausing');
    await tellStates(tenant, [{ state: 'paused', paused_until_ms: stack.clock.now() + 2 * HOUR_MS }]);
    expect((await list(tenant)).items[0]).toMatchObject({ verdict: 'paused' });
    stack.clock.advance(2 * HOUR_MS);
    expect((await list(tenant)).items[0]).toMatchObject({ verdict: 'no_contact' });
    stack.clock.advance(-3 * HOUR_MS);
  });

  it('is known also of a device that was silent before its states were noted', async () => {
    const tenant = await stack.addTenant('earlier');
    const { identity, keyPem } = await stack.enrolDevice(tenant);
    const { relational } = stack.database;
    const id = identity.agent_id;
    await relational.withTenantSql(tenant, async (sql) => {
      await sql.query("UPDATE endpoint_summary SET state = 'declined' WHERE agent_id = $1", [id]);
    });
    const connect = openConnect({ address: stack.address, credentials: deviceCredentials(identity, keyPem) });
    connect.stream.write(makeStatus({ clock_ms: stack.clock.now(), state: 'declined' }));
    await connect.next(1);
    await connect.stop();
    await stack.fleet.flushContacts();
    stack.clock.advance(HOUR_MS);
    const { verdicts } = await stack.callAs(tenant).endpoint.device({ id });
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['declined']);
    stack.clock.advance(-HOUR_MS);
  });

  it('is forgotten with the device', async () => {
    const tenant = await stack.addTenant('forgotten');
    const id = await tellStates(tenant, [{ state: 'declined' }]);
    stack.clock.advance(-HOUR_MS);
    await stack.callAs(tenant).fleet.agents.retire({ ids: [id] });
    const count = await stack.database.relational.withTenantSql(tenant, async (sql) => {
      return (await sql.query<{ count: number }>('SELECT count(*)::int AS count FROM endpoint_states')).rows[0]?.count;
    });
    expect(count).toBe(0);
  });
});

describe('two pages of one host', () => {
  it('are two sessions, each with its own times', async () => {
    const tenant = await stack.addTenant('pages');
    const page = (path: string, totalMs: number) =>
      makeWire({
        canary_type: 'endpoint.session',
        server_address: 'crm.example',
        server_port: 443,
        success: 1,
        metrics: { 'total.ms': totalMs },
        attributes: { 'svc.session.role': 'target', 'url.full': `https://crm.example${path}` },
      });
    const id = await startDevice(tenant, 'two pages', [page('/', 200), page('/login', 900)]);
    const view = await until(
      async () => await stack.callAs(tenant).endpoint.device({ id }),
      ({ sessions, endpoint }) => sessions.length === 2 && endpoint.worst_session_target !== null,
    );
    const told = view.sessions.map(({ target, total_ms, window }) => [target, total_ms, window.worst_ms]).sort();
    expect(told).toEqual([
      ['crm.example', 200, 200],
      ['crm.example/login', 900, 900],
    ]);
    expect(view.endpoint.worst_session_target).toBe('crm.example/login');
  });
});

describe('a fleet', () => {
  it('says what its slow devices share', async () => {
    const tenant = await stack.addTenant('shared');
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push(await startDevice(tenant, name));
    ids.push(
      await startDevice(tenant, 'fine', [
        makeWire(),
        makeWire({ canary_type: 'endpoint.attribution', metrics: { confidence: 1 }, attributes: { 'endpoint.cause': 'none' } }),
      ]),
    );
    await stack.fleet.flushContacts();
    await stack.callAs(tenant).fleet.agents.setSite({ ids, site: 'Lisbon, floor 3' });
    const read = async () => FleetSummary.parse(await stack.callAs(tenant).endpoint.summary({}));
    const countOf = ({ counts }: FleetSummary, verdict: string) => counts.find((one) => one.verdict === verdict)?.count ?? 0;
    // Two consumers make it: the view its counts, results its hours.
    const isThere = (now: FleetSummary) =>
      countOf(now, 'wifi') === 3 && countOf(now, 'none') === 1 && now.slow_by_hour.at(-1) === 3;
    const summary = await until(read, isThere);
    expect(summary).toMatchObject({ total: 4, sites: ['Lisbon, floor 3'], agent_versions: ['0.1.0'], simulated: false });
    expect(summary.shared.map(({ sentence }) => sentence)).toEqual([
      '3 of 4 devices at Lisbon, floor 3 behind gateway 10.20.3.1 are slow because of Wi-Fi.',
    ]);
    expect(summary.slow_by_hour).toHaveLength(24);
    expect(summary.slow_by_hour.at(-1)).toBe(3);
    // What three have together is for whoever runs the place; none of them is told to move.
    const { advice, suggestion } = await stack.callAs(tenant).endpoint.device({ id: ids[0] ?? '' });
    expect(advice).toMatchObject({ code: 'check_access_points', shared: { affected: 3, of: 4, site: 'Lisbon, floor 3' } });
    expect(suggestion).toMatch(/^3 of 4 devices at Lisbon, floor 3 .* Check the access points there/);
  });
});
