import { RumHostQuery, RumQuery } from '@svc/contracts/rum/views';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Ctx, TenantId } from '#kernel';
import { rollUpHours } from '#telemetry';
import { judgeTenant } from './evaluate.ts';
import { readHosts } from './host-store.ts';
import { HOSTS_OF_APP } from './known.ts';
import { readHostPage } from './pages/host-page.ts';
import { readOfHosts, readOverview } from './pages/overview.ts';
import { HOST, HOUR_MS, MINUTE_MS, openRumGround, type RumGround, view, views } from './test-rum-views.ts';
import { readSpans } from './verdict-store.ts';
import { findRolledDays, rollUpDays, VIEW_HOURS } from './view-days.ts';

const NOW = Date.parse('2026-11-25T12:30:00.000Z');
const RED = {
  passed: 1,
  failed: 9,
  failing: [{ id: '018f3c1e-7d7a-7c3e-9f64-0242ac120002', name: 'shop checkout', runs: 10, failed: 9 }],
};
const GREEN = { passed: 10, failed: 0, failing: [] };

let ground: RumGround;
beforeAll(async () => {
  ground = await openRumGround(NOW);
});
afterAll(async () => await ground?.close());
beforeEach(() => {
  ground.clock.at = NOW;
  ground.outcomes.clear();
  ground.settled.length = 0;
});

const stored = async (tenant: TenantId, count: number, toMs = NOW + HOUR_MS): Promise<void> => {
  await vi.waitFor(
    async () => {
      const all = await ground.context.reader.everyHost(tenant, { fromMs: NOW - 20 * 24 * HOUR_MS, toMs });
      expect(all.reduce((sum, one) => sum + one.views, 0)).toBe(count);
    },
    { timeout: 20_000, interval: 100 },
  );
};
const overview = async (ctx: Ctx, query: object = {}) => await readOverview(ground.context, ctx, RumQuery.parse(query));
const page = async (ctx: Ctx, query: object = {}) =>
  await readHostPage(ground.context, ctx, RumHostQuery.parse({ app: 'shop', host: HOST, ...query }));
const judge = async (tenant: TenantId) => await judgeTenant(ground.context, tenant, await ground.fence());

test('a view is one however often it comes, and figures of twenty are exact', async () => {
  const { tenant, ctx } = await ground.newTenant();
  const all = [
    ...views(tenant, 15, { receivedAtMs: NOW - MINUTE_MS, vitals: { lcp: 1000, cls: 0 } }),
    ...views(tenant, 5, {
      receivedAtMs: NOW - 2 * MINUTE_MS,
      vitals: { lcp: 5200 },
      errors: 2,
      failedRequests: 1,
      page: '/cart',
      browser: 'firefox',
    }),
  ];
  await ground.publish(all);
  await ground.publish(all);
  await stored(tenant, 20);
  const found = await page(ctx);
  expect(found.vitals[0]).toEqual({
    ...{ vital: 'lcp', views: 20, sufficient: true, p75: 5200, usual_p75: null, rating: 'poor' },
    ...{ shares: { good: 0.75, needs_improvement: 0, poor: 0.25 }, good_to: 2500, poor_from: 4000 },
  });
  // Fifteen have it: too few to say anything.
  expect(found.vitals.find(({ vital }) => vital === 'cls')).toMatchObject({
    views: 15,
    sufficient: false,
    p75: null,
    shares: null,
  });
  expect(found.vitals.find(({ vital }) => vital === 'inp')).toMatchObject({ views: 0, sufficient: false, p75: null });
  expect(found.errors).toMatchObject({
    views: 20,
    hurt_views: 5,
    rate: 0.25,
    views_with_errors: 5,
    errors: 10,
    failed_requests: 5,
  });
  expect(found.pages).toMatchObject({ total: 2, other_views: 0, limit_a_day: 500 });
  expect(found.pages.items.map((one) => [one.page, one.views, one.error_rate, one.p75])).toEqual([
    ['/', 15, null, {}],
    ['/cart', 5, null, {}],
  ]);
  expect(found.browsers.map(({ browser, views: count }) => [browser, count])).toEqual([
    ['chrome', 15],
    ['firefox', 5],
  ]);
  expect(found.series.points.reduce((sum, one) => sum + one.views, 0)).toBe(20);
  // The fifteen minutes before a step count for it.
  expect(found.series.points.at(-1)).toMatchObject({ error_rate: 0.25, p75: { lcp: 5200 } });
});

test('a first beacon turns waiting into data, and what is quiet or too few is said to be that', async () => {
  const { tenant, ctx } = await ground.newTenant([HOST, 'other.example', '*.wild.example']);
  expect((await overview(ctx)).verdicts.map(({ host, state }) => [host, state])).toEqual([
    ['other.example', 'waiting'],
    [HOST, 'waiting'],
  ]);
  await ground.publish([view(tenant, NOW - MINUTE_MS)]);
  await vi.waitFor(
    async () =>
      expect((await overview(ctx)).verdicts.find(({ host }) => host === HOST)).toMatchObject({
        ...{ state: 'too_few', views: 1, verdict: 'healthy', sufficient: false, error_rate: null, p75: {}, tests: null },
        first_beacon_at: new Date(NOW - MINUTE_MS).toISOString(),
      }),
    { timeout: 20_000 },
  );
  ground.clock.at = NOW + HOUR_MS;
  const later = await overview(ctx, { search: 'shop.ex' });
  expect(later.verdicts).toHaveLength(1);
  expect(later.verdicts[0]).toMatchObject({
    state: 'quiet',
    sentence: `No beacon from ${HOST} in 15 minutes, which says nothing about its health.`,
  });
  expect(later.counts.states).toEqual({ judged: 0, too_few: 0, quiet: 1, waiting: 1 });
  await expect(page(ctx, { host: 'nobody.example' })).rejects.toMatchObject({ code: 'not_found' });
});

test('all four verdicts, each kind signalled once an episode, and the history of it', async () => {
  const { tenant, ctx } = await ground.newTenant();
  const present = (kind: string) =>
    ground.settled
      .filter(({ tenant: whose, scope }) => whose === tenant && scope.kind === kind)
      .at(-1)
      ?.present.map(({ dedup_key, occurred_at }) => [dedup_key, occurred_at]);
  const step = async (minutes: number, lcp: number, outcome: typeof RED | typeof GREEN) => {
    ground.clock.at = NOW + minutes * MINUTE_MS;
    ground.outcomes.set(HOST, outcome);
    await ground.publish(views(tenant, 20, { receivedAtMs: ground.clock.at - 1000, vitals: { lcp } }));
    await vi.waitFor(
      async () => {
        const span = { fromMs: ground.clock.at - 15 * MINUTE_MS, toMs: ground.clock.at };
        expect((await ground.context.reader.everyHost(tenant, span))[0]?.views).toBe(20);
        // A host is known a moment after its views are stored, and judged from then on.
        expect((await ground.database.relational.withSystemSql(tenant, readHosts)).map(({ host }) => host)).toEqual([HOST]);
      },
      { timeout: 20_000, interval: 100 },
    );
    await judge(tenant);
    return (await overview(ctx)).verdicts[0];
  };
  expect(await step(0, 1900, GREEN)).toMatchObject({ verdict: 'healthy', sufficient: true, state: 'judged' });
  expect(await step(20, 1900, RED)).toMatchObject({ verdict: 'synthetic_only_no_user_impact', tests: { runs: 10, failed: 9 } });
  expect([present('rum.user_impact_correlated'), present('rum.user_impact_unseen_by_synthetics')]).toEqual([[], []]);
  const confirmed = await step(40, 5200, RED);
  expect(confirmed).toMatchObject({
    verdict: 'user_impact_confirmed',
    sentence: `Users of ${HOST} hurt: p75 LCP 5.2 s over 20 views, and the test “shop checkout” fails too.`,
  });
  const correlated = [[`shop/${HOST}`, new Date(NOW + 40 * MINUTE_MS).toISOString()]];
  expect(present('rum.user_impact_correlated')).toEqual(correlated);
  // Judged again, by whomever: nothing new.
  await judge(tenant);
  expect(present('rum.user_impact_correlated')).toEqual(correlated);
  expect(await step(60, 5200, GREEN)).toMatchObject({ verdict: 'user_only_synthetic_blind' });
  const unseen = [[`shop/${HOST}`, new Date(NOW + 60 * MINUTE_MS).toISOString()]];
  expect([present('rum.user_impact_correlated'), present('rum.user_impact_unseen_by_synthetics')]).toEqual([correlated, unseen]);
  expect(await step(80, 1900, GREEN)).toMatchObject({ verdict: 'healthy' });
  expect([present('rum.user_impact_correlated'), present('rum.user_impact_unseen_by_synthetics')]).toEqual([[], []]);
  await step(100, 5200, RED);
  expect(present('rum.user_impact_correlated')).toEqual([[`shop/${HOST}`, new Date(NOW + 100 * MINUTE_MS).toISOString()]]);
  const { history, verdict } = await page(ctx);
  expect(history.map((one) => [one.verdict, one.signalled, one.to === null])).toEqual([
    ['healthy', false, false],
    ['synthetic_only_no_user_impact', false, false],
    ['user_impact_confirmed', true, false],
    ['user_only_synthetic_blind', true, false],
    ['healthy', false, false],
    ['user_impact_confirmed', true, true],
  ]);
  expect(verdict).toMatchObject({
    ...{ verdict: 'user_impact_confirmed', signalled_at: new Date(NOW + 100 * MINUTE_MS).toISOString() },
    users: { degraded: true, by: ['lcp'], affected_views: 20, hurt_views: 0 },
    tests: { degraded: true, failing: [{ name: 'shop checkout' }] },
  });
  expect((await readOfHosts(ground.context, ctx, [`https://${HOST}/x`, 'nobody.example'])).items).toEqual([
    expect.objectContaining({
      host: `https://${HOST}/x`,
      app: 'shop',
      users_hurt: true,
      sentence: 'Users hurt too: p75 LCP 5.2 s over 20 views.',
    }),
  ]);
});

test('who has lost the lease writes and signals nothing', async () => {
  const { tenant } = await ground.newTenant();
  await ground.publish(views(tenant, 20, { receivedAtMs: NOW - 1000 }));
  await stored(tenant, 20);
  const old = await ground.fence();
  await ground.database.relational.directory('release_lease', ['rum-verdicts', 'test']);
  const rows = await ground.database.relational.directory<{ fence: string }>('take_fenced_lease', [
    'rum-verdicts',
    'another',
    60_000,
  ]);
  expect(Number(rows[0]?.fence)).toBeGreaterThan(old.number);
  await expect(judgeTenant(ground.context, tenant, old)).rejects.toMatchObject({ code: 'writer_unavailable' });
  expect(ground.settled).toEqual([]);
  await ground.database.relational.directory('release_lease', ['rum-verdicts', 'another']);
});

test('what waited on the bus counts for five minutes, and what came later is shown and not judged', async () => {
  const { tenant, ctx } = await ground.newTenant();
  ground.store.isAway = true;
  await ground.publish(views(tenant, 20, { receivedAtMs: NOW - 4 * MINUTE_MS, vitals: { lcp: 5200 } }));
  await ground.publish(views(tenant, 30, { receivedAtMs: NOW - 6 * MINUTE_MS, vitals: { lcp: 900 } }));
  ground.store.isAway = false;
  await stored(tenant, 50);
  await judge(tenant);
  const { verdict, late, errors } = await page(ctx);
  expect(verdict.users).toMatchObject({ views: 20, p75_lcp_ms: 5200, degraded: true });
  expect(errors.views).toBe(50);
  expect(late).toEqual({ views: 30, sentence: expect.stringContaining('30 views waited for more than five minutes') });
});

test('pages beyond five hundred a day and hosts beyond the bound are other', async () => {
  const { tenant, ctx } = await ground.newTenant();
  await ground.publish(Array.from({ length: 700 }, (_, i) => view(tenant, NOW - MINUTE_MS, { page: `/p${i}` })));
  await ground.publish(Array.from({ length: 300 }, (_, i) => view(tenant, NOW - MINUTE_MS, { host: `h${i}.example` })));
  await stored(tenant, 1000);
  const { pages } = await page(ctx, { pages: 501 });
  expect([pages.total, pages.other_views]).toEqual([501, 200]);
  const hosts = await ground.database.relational.withTenantSql(tenant, readHosts);
  expect(hosts).toHaveLength(HOSTS_OF_APP + 1);
  expect((await overview(ctx, { limit: 1000 })).verdicts.some(({ host }) => host === 'other')).toBe(false);
});

test('ranges of days are answered by hours, within one percent, and say the same as views do', async () => {
  const { tenant, ctx } = await ground.newTenant();
  const lcps = Array.from({ length: 2000 }, (_, i) => 500 + ((i * 7919) % 6000));
  await ground.publish(
    lcps.map((lcp, i) => view(tenant, NOW - 50 * HOUR_MS + i * 50_000, { vitals: { lcp }, errors: i % 10 === 0 ? 1 : 0 })),
  );
  await stored(tenant, 2000);
  const range = { from: new Date(NOW - 60 * HOUR_MS).toISOString(), to: new Date(NOW).toISOString(), figures: 'range' };
  const exact = [...lcps].sort((a, b) => a - b)[1500] as number;
  const check = async () => {
    const { vitals, errors, series, pages } = await page(ctx, range);
    expect(Math.abs((vitals[0]?.p75 ?? 0) - exact) / exact).toBeLessThan(0.011);
    expect(errors).toMatchObject({ views: 2000, hurt_views: 200, rate: 0.1, errors: 200 });
    expect(pages.items).toMatchObject([{ page: '/', views: 2000 }]);
    return series.points.map(({ at, views: count, error_rate }) => [at, count, error_rate]);
  };
  const fromViews = await check();
  // As if the writes had settled.
  const rolled = await rollUpHours(ground.telemetry.store, tenant, { ...VIEW_HOURS, nowMs: Date.now() + 6 * MINUTE_MS });
  expect(rolled).toBeGreaterThan(24);
  expect(await check()).toEqual(fromViews);
  const { store } = ground.telemetry;
  const hours = { firstHour: (NOW - 60 * HOUR_MS) / HOUR_MS, endHour: NOW / HOUR_MS };
  expect(await findRolledDays(store, tenant, hours)).toEqual([]);
  expect(await rollUpDays(store, tenant, Date.now())).toBe(2);
  expect(await rollUpDays(store, tenant, Date.now())).toBe(0);
  const whole = Date.parse('2026-11-24') / (24 * HOUR_MS);
  expect(await findRolledDays(store, tenant, hours)).toEqual([whole]);
  expect(await check()).toEqual(fromViews);
  expect((await ground.context.reader.usual(tenant)).map(({ host, views: usual }) => [host, usual])).toEqual([[HOST, 18]]);
  // What comes late makes the hour and the day others: until they are computed anew, views answer.
  await ground.publish([view(tenant, NOW - 30 * HOUR_MS, { page: '/late' })]);
  await stored(tenant, 2001);
  expect(await findRolledDays(store, tenant, hours)).toEqual([]);
  const { pages } = await page(ctx, range);
  expect(pages.items.map(({ page: name, views: count }) => [name, count])).toEqual([
    ['/', 2000],
    ['/late', 1],
  ]);
});

test('a stretch that a range begins in is part of its history', async () => {
  const { tenant } = await ground.newTenant();
  await ground.publish(views(tenant, 20, { receivedAtMs: NOW - 1000 }));
  await stored(tenant, 20);
  await judge(tenant);
  const span = { from: new Date(NOW + HOUR_MS), to: new Date(NOW + 2 * HOUR_MS) };
  const spans = await ground.database.relational.withTenantSql(tenant, (sql) =>
    readSpans(sql, { app: 'shop', host: HOST }, span),
  );
  expect(spans.map(({ verdict }) => verdict)).toEqual(['healthy']);
});
