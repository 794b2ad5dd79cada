import { type EndpointRow, type FleetFilter, type FleetSort, SORT_COLUMNS } from '@svc/contracts/endpoint/view';
import type { Health } from '@svc/contracts/judged/healths';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { fillFleet } from '../test-fleet-rows.ts';
import { type EndpointStack, startEndpointStack } from '../test-stack.ts';
import { fastestAloneMs } from '../test-timing.ts';

const DEVICES = 10_000;
/** Any sort, filter or search under 100 ms of server time at 10,000 devices. */
const BOUND_MS = 100;

let stack: EndpointStack;
let tenant: TenantId;

beforeAll(async () => {
  stack = await startEndpointStack();
  tenant = await stack.addTenant('big');
  await fillFleet(stack.database.relational, tenant, DEVICES);
  await fillFleet(stack.database.relational, await stack.addTenant('beside'), DEVICES);
});
afterAll(async () => {
  await stack.close();
});

const list = async (input: { filter?: FleetFilter; sort?: FleetSort; offset?: number; limit?: number }) =>
  await stack.callAs(tenant).endpoint.list(input);

const fastestMs = async (work: () => Promise<unknown>): Promise<number> => await fastestAloneMs(work, BOUND_MS);

/** Agents that do not say how well they are count by their cause. */
const healthAt = (n: number): Health => {
  if (n % 5 === 0) return 'slow';
  if (n % 7 === 0) return 'partial';
  return n % 11 === 0 ? 'off' : 'healthy';
};

/** The same devices as fillFleet makes, to know what must match. */
const devices = Array.from({ length: DEVICES }, (_, index) => {
  const n = index + 1;
  const slow = n % 5 === 0 ? (['wifi', 'local', 'isp', 'network'] as const)[Math.floor(n / 5) % 4] : 'none';
  return {
    n,
    name: `LT-${String((n * 7919) % 1_000_003).padStart(7, '0')}`,
    verdict: n % 30 === 0 ? 'no_contact' : slow,
    health: n % 30 === 0 ? null : healthAt(n),
    rssi: -40 - ((n * 31) % 50),
    gateway: 1 + ((n * 17) % 900) / 10,
    isp: 5 + ((n * 13) % 1200) / 10,
    session: 100 + ((n * 37) % 9000),
  };
});
type Device = (typeof devices)[number];

const readColumn = (row: EndpointRow, column: string): number | string | null => {
  const value = Reflect.get(row, column) as { value: number | null } | string | null;
  return typeof value === 'object' && value !== null ? value.value : value;
};

describe('the fleet page at 10,000 devices', () => {
  it.each(
    SORT_COLUMNS.flatMap((column) => [
      { column, desc: false },
      { column, desc: true },
    ]),
  )('sorts by $column (desc: $desc) in time', async (sort) => {
    const page = await list({ sort: [sort] });
    expect(page).toMatchObject({ matched: DEVICES, total: DEVICES });
    expect(page.items).toHaveLength(100);
    const values = page.items.map((row) => readColumn(row, sort.column)).filter((value) => value !== null);
    if (sort.column !== 'verdict') {
      const ordered = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(values).toEqual(sort.desc ? ordered.reverse() : ordered);
    }
    expect(await fastestMs(async () => await list({ sort: [sort] }))).toBeLessThan(BOUND_MS);
  });

  it.each<{ filter: FleetFilter; holds: (device: Device) => boolean }>([
    { filter: { search: 'lt-00' }, holds: ({ name }) => name.startsWith('LT-00') },
    { filter: { search: 'PERSON77@' }, holds: ({ n }) => n === 77 },
    { filter: { search: '%' }, holds: () => false },
    { filter: { verdict: ['wifi', 'isp'] }, holds: ({ verdict }) => verdict === 'wifi' || verdict === 'isp' },
    { filter: { verdict: ['no_contact'] }, holds: ({ verdict }) => verdict === 'no_contact' },
    { filter: { health: ['healthy'] }, holds: ({ health }) => health === 'healthy' },
    { filter: { health: ['partial', 'off'] }, holds: ({ health }) => health === 'partial' || health === 'off' },
    { filter: { health: ['slow'], fault: ['path_loss'] }, holds: () => false },
    { filter: { fault: ['path_loss'] }, holds: ({ health }) => health === 'off' },
    { filter: { site: ['Site 3', 'Site 4'], os: ['linux'] }, holds: ({ n }) => [3, 4].includes(n % 40) && n % 3 === 0 },
    { filter: { agent_version: ['1.2.0'], ring: ['main'], connection: ['wifi'] }, holds: ({ n }) => n % 5 === 2 },
    { filter: { gateway: '10.3.3.1' }, holds: ({ n }) => n % 40 === 3 },
    { filter: { contact_within_minutes: 5 }, holds: ({ n }) => n % 30 !== 0 },
    { filter: { silent_for_minutes: 5 }, holds: ({ n }) => n % 30 === 0 },
    {
      filter: { wifi_rssi_below: -80, gateway_rtt_above: 20, isp_rtt_above: 50, session_above_ms: 2000 },
      holds: ({ rssi, gateway, isp, session }) => rssi <= -80 && gateway >= 20 && isp >= 50 && session >= 2000,
    },
    { filter: { wifi_rssi_below: -89 }, holds: ({ rssi }) => rssi === -89 },
    { filter: { gateway_rtt_above: 90.9 }, holds: ({ gateway }) => gateway === 90.9 },
    { filter: { isp_rtt_above: 124.9 }, holds: ({ isp }) => isp === 124.9 },
    { filter: { session_above_ms: 9099 }, holds: ({ session }) => session === 9099 },
  ])('filters by $filter in time', async ({ filter, holds }) => {
    const page = await list({ filter, sort: [{ column: 'worst_session_ms', desc: true }] });
    expect(page.total).toBe(DEVICES);
    expect(page.matched).toBe(devices.filter(holds).length);
    expect(page.items.length).toBe(Math.min(100, page.matched));
    expect(await fastestMs(async () => await list({ filter }))).toBeLessThan(BOUND_MS);
  });

  it('sorts by several columns, and pages without a gap or a repeat', async () => {
    const sort: FleetSort = [
      { column: 'site', desc: false },
      { column: 'gateway_rtt_ms', desc: true },
    ];
    const seen = new Set<string>();
    for (let offset = 0; offset < 1000; offset += 200) {
      for (const { id } of (await list({ sort, offset, limit: 200 })).items) seen.add(id);
    }
    expect(seen.size).toBe(1000);
    expect(await fastestMs(async () => await list({ sort, offset: 9900 }))).toBeLessThan(BOUND_MS);
  });

  it('shows slow devices first, then those without a verdict, then healthy ones', async () => {
    const ranks = [];
    for (const offset of [0, 1666, 1667, 1999, 2000, 9999]) {
      const { items } = await list({ sort: [{ column: 'verdict', desc: false }], offset, limit: 1 });
      ranks.push(items[0]?.verdict);
    }
    for (const slow of ranks.splice(0, 2)) expect(['wifi', 'local', 'isp', 'network']).toContain(slow);
    expect(ranks).toEqual(['no_contact', 'no_contact', 'none', 'none']);
  });

  it('answers the summary and the CSV of everything in time', async () => {
    const { endpoint } = stack.callAs(tenant);
    const summary = await endpoint.summary({});
    expect(summary.total).toBe(DEVICES);
    expect(summary.sites).toHaveLength(40);
    expect(summary.shared.length).toBeGreaterThan(0);
    expect(await fastestMs(async () => await endpoint.summary({}))).toBeLessThan(BOUND_MS);
    const csv = await endpoint.csv({ sort: '-worst_session_ms' });
    expect(csv.split('\r\n')).toHaveLength(DEVICES + 2);
    expect(csv.slice(0, 4)).toBe('\uFEFFid,');
    const filtered = await endpoint.csv({ verdict: ['wifi', 'isp'], site: 'Site 0' });
    const { matched } = await list({ filter: { verdict: ['wifi', 'isp'], site: ['Site 0'] } });
    expect(filtered.split('\r\n')).toHaveLength(matched + 2);
    await expect(endpoint.csv({ verdict: 'sad', sort: 'nothing' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
