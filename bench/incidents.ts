import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { IncidentListQuery } from '@svc/contracts/incidents/incident';
import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import { fastestAloneMs } from '../server/src/features/endpoint/test-timing.ts';
import { createTestIncidents, type TestIncidents } from '../server/src/features/incidents/test-incidents.ts';
import { fillIncidents } from '../server/src/features/incidents/test-many.ts';
import type { TenantId } from '../server/src/kernel/index.ts';

/** Signals a second that one core puts to incidents, PostgreSQL's CPU not counted, and the server time of the list over many incidents. */
const { values } = parseArgs({
  options: {
    signals: { type: 'string', default: '10000' },
    targets: { type: 'string', default: '100' },
    batch: { type: 'string', default: '250' },
    incidents: { type: 'string', default: '100000' },
    boundMs: { type: 'string', default: '100' },
  },
});
const [signals, targets, batch] = [Number(values.signals), Number(values.targets), Number(values.batch)];
const BOUND_PER_SECOND = 1000;
const TRIES = 4;

/** Of each four: three failings that are new, and one that recovers. */
function signalAt(world: TestIncidents, n: number): RaisedSignal {
  const isRecovery = n % 4 === 3;
  const subject = isRecovery ? n - 3 : n;
  const target = Math.floor(subject / 4) % targets;
  return world.failing({
    dedup_key: `test/${subject}`,
    target: `https://shop${target}.example:443/path/${subject}`,
    attributes: { 'test.id': `t${subject}`, 'network.peer.address': `203.0.${target}.9` },
    ...(isRecovery ? { recovered: true, occurred_at: new Date(world.now() + 1).toISOString() } : {}),
  });
}

/** Ticks of a second in /proc. */
const TICKS = 100;

/** CPU seconds of the database's backends of this program's connections; undefined where there is no /proc. */
async function backendCpu(world: TestIncidents, tenant: TenantId): Promise<number | undefined> {
  const text = 'SELECT pid FROM pg_stat_activity WHERE datname = current_database()';
  const { rows } = await world.database.relational.withTenantSql(tenant, (sql) => sql.query<{ pid: number }>(text));
  try {
    const ticks = rows.map(({ pid }) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return Number(fields[11]) + Number(fields[12]);
    });
    return ticks.reduce((sum, one) => sum + one, 0) / TICKS;
  } catch {
    return undefined;
  }
}

async function measureCorrelation(world: TestIncidents, tenant: TenantId) {
  const raise = async (from: number, to: number) =>
    await world.slice.raise(
      tenant,
      Array.from({ length: to - from }, (_, n) => signalAt(world, from + n)),
    );
  await raise(0, batch);
  const backendsBefore = await backendCpu(world, tenant);
  const [cpu, began] = [process.cpuUsage(), performance.now()];
  for (let n = batch; n < signals; n += batch) await raise(n, Math.min(n + batch, signals));
  const { user, system } = process.cpuUsage(cpu);
  const [cpuSeconds, seconds] = [(user + system) / 1e6, (performance.now() - began) / 1000];
  const backends = ((await backendCpu(world, tenant)) ?? Number.NaN) - (backendsBefore ?? Number.NaN);
  const { open } = await world.as(tenant).incidents.pulse();
  const count = signals - batch;
  // Both take turns: where nothing else runs, the clock is what they take together, and what is written to the disk.
  return {
    ...{ perCpuSecond: count / cpuSeconds, perSecond: count / seconds, perSecondOfBoth: count / (cpuSeconds + backends) },
    ...{ open, share: (cpuSeconds + backends) / seconds },
  };
}

async function measureList(world: TestIncidents, tenant: TenantId) {
  const { incidents } = world.as(tenant);
  const now = Date.now();
  const at = (days: number) => new Date(now - days * 86_400_000).toISOString();
  const queries: Partial<IncidentListQuery>[] = [
    {},
    ...(['newest', 'last_seen', 'severity'] as const).map((sort) => ({ sort })),
    { status: ['open'] },
    { status: ['resolved'], severity: ['info'] },
    { severity: ['critical'], sort: 'last_seen' },
    { plane: ['endpoint'] },
    { plane: ['rum'] },
    { target: 'shop7.example' },
    { target: 'nothing.example' },
    { site: 'Site 3', sort: 'severity' },
    { site: 'nowhere' },
    { assigned_to: 'ben' },
    { assigned_to: 'nobody' },
    { search: 'shop 77 ' },
    { search: 'nothing has this' },
    { search: '#777' },
    { from: at(2), to: at(1) },
    { from: at(300), to: at(299), sort: 'severity' },
    { to: at(340), sort: 'last_seen' },
    { status: ['acknowledged'], severity: ['warning'], plane: ['tests'], site: 'Site 0', search: 'tls', sort: 'last_seen' },
  ];
  const figures: { ms: number; name: string }[] = [];
  for (const query of queries) {
    const ms = await fastestAloneMs(async () => await incidents.list(query), 2, TRIES);
    figures.push({ ms, name: JSON.stringify(query) });
  }
  const page = await incidents.list({ limit: 1000, sort: 'severity' });
  let cursor = page.next_cursor;
  for (let n = 0; n < 60 && cursor; n += 1)
    cursor = (await incidents.list({ limit: 1000, sort: 'severity', cursor })).next_cursor;
  const deep = cursor ?? '';
  const ms = await fastestAloneMs(async () => await incidents.list({ sort: 'severity', cursor: deep }), 2, TRIES);
  figures.push({ ms, name: 'page 601 by severity' });
  figures.push({ ms: await fastestAloneMs(async () => await incidents.pulse(), 2, TRIES), name: 'pulse' });
  const id = page.items[0]?.id ?? '';
  figures.push({ ms: await fastestAloneMs(async () => await incidents.get({ id }), 2, TRIES), name: 'one incident' });
  return figures.sort((a, b) => b.ms - a.ms);
}

/** Each on a database of its own. */
async function inWorld<T>(work: (world: TestIncidents, tenant: TenantId) => Promise<T>): Promise<T> {
  const world = await createTestIncidents();
  try {
    return await work(world, await world.newTenant());
  } finally {
    await world.database.close();
  }
}

const correlated = await inWorld(measureCorrelation);
process.stdout.write(
  `${correlated.perCpuSecond.toFixed(0)} signals per CPU-second of this process, ${correlated.perSecondOfBoth.toFixed(0)} per CPU-second of it and its database, ` +
    `${correlated.perSecond.toFixed(0)} a second of the clock, in which both had ${(100 * correlated.share).toFixed(0)} % of one core; ` +
    `${correlated.open} open incidents of ${targets} targets\n`,
);
const incidents = Number(values.incidents);
/** With `--incidents 0` the list is left out. */
const figures = await inWorld(async (world, tenant) => {
  if (incidents === 0) return [];
  await fillIncidents(world.database.relational, tenant, incidents);
  await world.database.analyze();
  return await measureList(world, tenant);
});
for (const { ms, name } of figures) process.stdout.write(`${ms.toFixed(1).padStart(7)} ms  ${name}\n`);
const slowest = figures[0]?.ms ?? 0;
const isWithin = correlated.perCpuSecond >= BOUND_PER_SECOND && correlated.open === targets && slowest < Number(values.boundMs);
process.exitCode = isWithin ? 0 : 1;
