import { parseArgs } from 'node:util';
import { RumHostQuery, RumQuery } from '@svc/contracts/rum/views';
import { judgeTenant } from '../server/src/features/rum-views/evaluate.ts';
import { readHostPage } from '../server/src/features/rum-views/pages/host-page.ts';
import { readOverview } from '../server/src/features/rum-views/pages/overview.ts';
import { openRumGround, type RumGround } from '../server/src/features/rum-views/test-rum-views.ts';
import { rollUpDays, VIEW_HOURS } from '../server/src/features/rum-views/view-days.ts';
import type { TenantId } from '../server/src/kernel/index.ts';
import { rollUpHours } from '../server/src/telemetry/index.ts';

/** What verdicts over many hosts take, and the list and the page of a host over many stored views. */
const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '1000' }, views: { type: 'string', default: '10000000' } },
});
const [pairs, stored] = [Number(values.pairs), Number(values.views)];
const DAYS = 29;
const TRIES = 5;
const NOW = Math.floor(Date.now() / 1000) * 1000;
/** Of each pair in the window that is judged. */
const VIEWS_OF_PAIR = 100;

const median = (all: number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

interface Taken {
  ms: number[];
  /** Of this process, the column store's threads among them, for one try: what a machine that is busy otherwise cannot lengthen. */
  cpuMs: number;
}

async function time(work: () => Promise<unknown>): Promise<Taken> {
  const ms: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < TRIES; i++) {
    const began = performance.now();
    await work();
    ms.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1000 / TRIES };
}

const tell = (what: string, { ms, cpuMs }: Taken, boundMs: number): void => {
  const best = Math.min(...ms);
  process.stdout.write(
    `${what}: median ${median(ms).toFixed(0)} ms, best ${best.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU (aim ${boundMs} ms: ${best <= boundMs ? 'met' : 'missed'})\n`,
  );
};

/** Views over the days, evenly, of one app: the first host has most of them. */
const fillSql = (
  span: string,
  host: string,
): string => `INSERT INTO rum_views (tenant_id, app, host, ts, result_id, page, browser, lcp, inp, cls, ttfb, fcp, load,
    errors, failed_requests, stored_at)
  SELECT {tenant:String}, 'shop', ${host}, ${span} AS at, generateUUIDv4(), concat('/p', toString(number % 200)), ['chrome', 'firefox', 'safari', 'edge'][number % 4 + 1],
    500 + cityHash64(number) % 4000, 20 + cityHash64(number, 1) % 300, (cityHash64(number, 2) % 30) / 100, 100 + cityHash64(number, 3) % 900,
    300 + cityHash64(number, 4) % 2000, 900 + cityHash64(number, 5) % 5000, number % 50 = 0, number % 70 = 0, at FROM numbers({count:UInt64})`;

async function addHosts(ground: RumGround, tenant: TenantId, count: number): Promise<void> {
  await ground.database.relational.withTenantSql(tenant, (sql) =>
    sql.query(
      `INSERT INTO rum_hosts (tenant_id, app, host, first_at, last_at) SELECT $1, 'shop', 'h' || n || '.example', now(), now() FROM generate_series(0, $2::int - 1) n`,
      [tenant, count],
    ),
  );
}

async function measureVerdicts(ground: RumGround): Promise<void> {
  const { tenant } = await ground.newTenant();
  await addHosts(ground, tenant, pairs);
  const at = `fromUnixTimestamp64Milli(${NOW} - toInt64(number % 600000))`;
  await ground.telemetry.store.derive(tenant, fillSql(at, `concat('h', toString(number % ${pairs}), '.example')`), {
    count: pairs * VIEWS_OF_PAIR,
  });
  const fence = await ground.fence();
  tell(
    `verdicts over ${pairs} hosts of ${VIEWS_OF_PAIR} views`,
    await time(() => judgeTenant(ground.context, tenant, fence)),
    1000,
  );
}

async function measurePages(ground: RumGround): Promise<void> {
  const { tenant, ctx } = await ground.newTenant();
  const hosts = 10;
  await addHosts(ground, tenant, hosts);
  const at = `fromUnixTimestamp64Milli(${NOW} - toInt64(number * ${DAYS * 86_400_000} / ${stored}))`;
  await ground.telemetry.store.derive(
    tenant,
    fillSql(at, `concat('h', toString(least(cityHash64(number, 9) % 20, ${hosts - 1})), '.example')`),
    {
      count: stored,
    },
  );
  const rolled = await rollUpHours(ground.telemetry.store, tenant, { ...VIEW_HOURS, nowMs: Date.now() + 6 * 60_000 });
  const days = await rollUpDays(ground.telemetry.store, tenant, Date.now());
  process.stdout.write(`${stored} views of ${hosts} hosts over ${DAYS} days, ${rolled} hours and ${days} days rolled up\n`);
  tell('GET /v1/rum', await time(() => readOverview(ground.context, ctx, RumQuery.parse({}))), 200);
  const page = { app: 'shop', host: `h${hosts - 1}.example` };
  const ranges: [string, object][] = [
    ['three hours', {}],
    ['a day', { from: new Date(NOW - 86_400_000).toISOString(), figures: 'range' }],
    ['seven days', { from: new Date(NOW - 7 * 86_400_000).toISOString(), figures: 'range' }],
    ['29 days', { from: new Date(NOW - DAYS * 86_400_000).toISOString(), figures: 'range' }],
  ];
  for (const [title, range] of ranges)
    tell(
      `the page of a host with half of them, ${title}`,
      await time(() => readHostPage(ground.context, ctx, RumHostQuery.parse({ ...page, ...range }))),
      200,
    );
}

const ground = await openRumGround(NOW);
try {
  await measureVerdicts(ground);
  await measurePages(ground);
} finally {
  await ground.close();
}
