// From an incident to its first page, messages that one core sends, and what one hanging provider does to the others.
// usage: node --conditions=svc-source bench/notify/run.ts [--tenants 20] [--connectors 5] [--incidents 8] [--messages 5000]

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ProviderKind } from '@svc/contracts/notify/kinds';
import { startEventsV2 } from '@svc/testkit/providers/events-v2';
import { createTestProvider } from '../../server/src/features/notify/test-provider.ts';
import { createProviders } from '../../server/src/features/notify-providers/index.ts';
import { HOST, makeAuthority, openOutbound, SECRETS } from '../../server/src/features/notify-providers/test-providers.ts';
import { type Provider, parseTenantId, type TenantId } from '../../server/src/kernel/index.ts';
import { createTenant } from '../../server/src/relational/index.ts';
import { createTestDatabase } from '../../server/src/relational/test-database.ts';
import { createWorld, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '20' },
    connectors: { type: 'string', default: '5' },
    incidents: { type: 'string', default: '8' },
    messages: { type: 'string', default: '5000' },
  },
});
const [TENANTS, CONNECTORS, INCIDENTS] = [Number(values.tenants), Number(values.connectors), Number(values.incidents)];
const BOUND_MS = 1000;
const BOUND_PER_SECOND = 500;
/** In which the incidents of all tenants are spread. */
const SPREAD_MS = 20_000;
/** A provider that is in nobody's way. */
const FREE = { perMinute: 1_000_000, concurrency: 8, burst: 100_000, gathers: 1 };

async function open(providers: Partial<Record<ProviderKind, Provider>>) {
  const database = await createTestDatabase({ poolSize: 10 });
  const { relational } = database;
  const world = createWorld({ relational, key: randomBytes(32), providers, now: Date.now });
  return {
    ...{ database, relational, world },
    async tenants(
      count: number,
      connectors: readonly { provider: ProviderKind; name: string; values: Record<string, string> }[],
    ) {
      const ids = Array.from({ length: count }, (_, at) => parseTenantId(`bench-${at}`));
      for (const id of ids) {
        await createTenant(relational, { id, name: id });
        for (const one of connectors) await world.asAdmin(id).notify.connectors.create(one);
      }
      return ids;
    },
    async close(): Promise<void> {
      await world.notify.close();
      await database.close();
    },
  };
}

const start = (world: World): Promise<void> => world.notify.start((role) => role === 'evaluate');

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
const told = (all: readonly number[]): { p50: number; p95: number; most: number } => {
  const sorted = all.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), most: sorted.at(-1) ?? Number.NaN };
};

async function until(isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
  for (const end = Date.now() + limitMs; !(await isSo()); await sleep(20)) if (Date.now() > end) throw new Error('it never came');
}

/** By PagerDuty's contract over TLS on loopback: from the signal being raised to the first, and to the last, of its pages. */
async function measureFirstPage() {
  const { ca, leaf } = await makeAuthority();
  const sim = await startEventsV2({ tls: leaf, host: HOST, routingKey: SECRETS.routing, perMinute: 1_000_000 });
  const bench = await open({ pager_a: createProviders({ outbound: openOutbound(ca) }).pager_a });
  const connector = { provider: 'pager_a' as const, values: { url: sim.origin, credential: SECRETS.routing } };
  const names = Array.from({ length: CONNECTORS }, (_, at) => ({ ...connector, name: `pager ${at}` }));
  const tenants = await bench.tenants(TENANTS, names);
  await start(bench.world);
  const raised = new Map<string, number>();
  const raise = async (tenant: TenantId, number: number): Promise<void> => {
    await sleep(Math.random() * SPREAD_MS);
    raised.set(`${tenant}/${number}`, Date.now());
    const signal = bench.world.failing(number);
    await bench.world.incidents.raise(tenant, { ...signal, title: `${tenant}/${number}` });
  };
  await Promise.all(tenants.flatMap((tenant) => Array.from({ length: INCIDENTS }, (_, number) => raise(tenant, number))));
  await until(() => sim.calls.length >= TENANTS * CONNECTORS * INCIDENTS);
  const pages = new Map<string, number[]>();
  for (const { json, atMs } of sim.calls) {
    const title = (json as { payload?: { summary: string } }).payload?.summary ?? '';
    const name = [...raised.keys()].find((one) => title === one || title.includes(`${one} `) || title.endsWith(one)) ?? '';
    pages.set(name, [...(pages.get(name) ?? []), atMs - (raised.get(name) ?? 0)]);
  }
  await bench.close();
  await sim.close();
  return {
    first: told([...pages.values()].map((all) => Math.min(...all))),
    last: told([...pages.values()].map((all) => Math.max(...all))),
  };
}

const SENT = `SELECT count(*)::int AS n FROM notify_outbox WHERE state = 'waiting'`;

/** Messages that wait are sent by one process, to providers that answer at once; CPU of PostgreSQL not counted. */
async function measureRate() {
  const provider = createTestProvider('pager_a', {}, FREE);
  const bench = await open({ pager_a: provider.provider });
  const values_ = { url: 'https://x.example', credential: 'first' };
  const names = Array.from({ length: CONNECTORS }, (_, at) => ({
    provider: 'pager_a' as const,
    name: `pager ${at}`,
    values: values_,
  }));
  const tenants = await bench.tenants(TENANTS, names);
  const each = Math.ceil(Number(values.messages) / TENANTS / CONNECTORS);
  for (const tenant of tenants)
    await bench.world.incidents.raise(
      tenant,
      Array.from({ length: each }, (_, number) => bench.world.failing(number)),
    );
  const messages = each * TENANTS * CONNECTORS;
  await bench.database.analyze();
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  await start(bench.world);
  await until(() => provider.calls.length >= messages);
  await until(async () => {
    const left = await Promise.all(
      tenants.map(
        async (tenant) => (await bench.relational.withSystemSql(tenant, (sql) => sql.query<{ n: number }>(SENT))).rows[0]?.n,
      ),
    );
    return left.every((n) => n === 0);
  });
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1000;
  await bench.close();
  return { messages, perSecond: messages / seconds, perCpuSecond: messages / ((user + system) / 1e6) };
}

/** Pages of a provider that answers, while another connector of the same tenant hangs, and while none does. */
async function measureHanging(isHanging: boolean) {
  const quick = createTestProvider('pager_a', {}, FREE);
  const slow = createTestProvider('pager_b', {}, FREE);
  const bench = await open({ pager_a: quick.provider, pager_b: slow.provider });
  const values_ = { url: 'https://x.example', credential: 'first' };
  const [tenant] = await bench.tenants(1, [
    { provider: 'pager_a', name: 'quick', values: values_ },
    { provider: 'pager_b', name: 'slow', values: values_ },
  ]);
  if (tenant === undefined) throw new Error('no tenant');
  const letGo = isHanging ? slow.hold() : undefined;
  await start(bench.world);
  const took: number[] = [];
  for (let number = 0; number < 200; number += 1) {
    const began = performance.now();
    await bench.world.incidents.raise(tenant, bench.world.failing(number));
    await until(() => quick.calls.length > number);
    took.push(performance.now() - began);
  }
  letGo?.();
  await bench.close();
  return told(took);
}

const firstPage = await measureFirstPage();
const rate = await measureRate();
const [alone, beside] = [await measureHanging(false), await measureHanging(true)];
const rows = {
  [`${TENANTS * CONNECTORS} connectors of ${TENANTS} tenants, ms to the first page of an incident`]: firstPage.first,
  'to the last of its pages': firstPage.last,
  [`${rate.messages} messages that wait: a second`]: Math.round(rate.perSecond),
  'a CPU second of one process': Math.round(rate.perCpuSecond),
  'to a page while nobody hangs, ms': alone,
  'to a page while another connector hangs, ms': beside,
};
process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
const isGood = firstPage.first.p95 < BOUND_MS && rate.perCpuSecond >= BOUND_PER_SECOND && beside.p95 < BOUND_MS;
process.exit(isGood ? 0 : 1);
