import { parseArgs } from 'node:util';
import { type FleetFilter, type FleetSort, SORT_COLUMNS } from '@svc/contracts/endpoint/view';
import { fillFleet } from '../server/src/features/endpoint/test-fleet-rows.ts';
import { startEndpointStack } from '../server/src/features/endpoint/test-stack.ts';
import { fastestAloneMs } from '../server/src/features/endpoint/test-timing.ts';
import type { TenantId } from '../server/src/kernel/index.ts';

/** Server time of the fleet page: each sort, filter and search over many devices, and the summary above it. */
const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    boundMs: { type: 'string', default: '500' },
  },
});
const devices = Number(values.devices);
const stack = await startEndpointStack();

async function measure(tenant: TenantId): Promise<{ name: string; medianMs: number; worstMs: number }[]> {
  const { endpoint } = stack.callAs(tenant);
  const sorts: FleetSort[] = SORT_COLUMNS.flatMap((column) => [[{ column, desc: false }], [{ column, desc: true }]]);
  const filters: FleetFilter[] = [
    { search: 'lt-00' },
    { search: 'nothing has this' },
    { verdict: ['wifi', 'isp'] },
    { site: ['Site 3'], os: ['linux'] },
    { gateway: '10.3.3.1', contact_within_minutes: 5 },
    { wifi_rssi_below: -80, gateway_rtt_above: 20, isp_rtt_above: 50, session_above_ms: 2000 },
  ];
  const last = Math.max(0, devices - 50);
  const cases: [string, () => Promise<unknown>][] = [
    ...sorts.map((sort): [string, () => Promise<unknown>] => [
      `sort ${sort[0]?.column} ${sort[0]?.desc ? 'desc' : 'asc'}`,
      async () => await endpoint.list({ sort }),
    ]),
    ...filters.map((filter): [string, () => Promise<unknown>] => [
      `filter ${JSON.stringify(filter)}`,
      async () => await endpoint.list({ filter, sort: [{ column: 'verdict', desc: false }] }),
    ]),
    ['last page by name', async () => await endpoint.list({ sort: [{ column: 'name', desc: false }], offset: last })],
    ['summary', async () => await endpoint.summary({})],
  ];
  const figures = [];
  for (const [name, work] of cases) {
    const times: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      // As if alone: other programs on the machine are taken out by the share of a core that was left for this one.
      times.push(await fastestAloneMs(work, 0, 1));
    }
    times.sort((a, b) => a - b);
    figures.push({ name, medianMs: times[times.length >> 1] ?? 0, worstMs: times.at(-1) ?? 0 });
  }
  return figures;
}

try {
  const tenant = await stack.addTenant('bench');
  await fillFleet(stack.database.relational, tenant, devices);
  const figures = (await measure(tenant)).sort((a, b) => b.medianMs - a.medianMs);
  for (const { name, medianMs, worstMs } of figures) {
    process.stdout.write(`${medianMs.toFixed(0).padStart(6)} ms median ${worstMs.toFixed(0).padStart(6)} ms worst  ${name}\n`);
  }
  const slowest = figures[0];
  const isWithin = slowest !== undefined && slowest.medianMs < Number(values.boundMs);
  process.stdout.write(`${devices} devices: slowest median ${slowest?.medianMs.toFixed(0)} ms, bound ${values.boundMs} ms\n`);
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await stack.close();
}
