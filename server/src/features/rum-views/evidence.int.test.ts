import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TenantId } from '#kernel';
import { findUserEvidence } from './evidence.ts';
import { HOST, HOUR_MS, MINUTE_MS, openRumGround, type RumGround, view } from './test-rum-views.ts';

const SINCE = Date.parse('2026-11-25T12:30:00.000Z');
const NOW = SINCE + 10 * MINUTE_MS;

const UNSEEN = 'No page of this target tells how its visitors are served.';

let ground: RumGround;
beforeAll(async () => {
  ground = await openRumGround(NOW);
});
afterAll(async () => await ground?.close());

const question = (more: Partial<EvidenceQuestion> = {}): EvidenceQuestion => ({
  ...{ target: `https://${HOST}/cart`, prefix: null, site: null, testIds: [], services: [] },
  ...{ fromMs: SINCE - 2 * HOUR_MS, sinceMs: SINCE, toMs: NOW },
  ...more,
});
const ask = async (tenant: TenantId, more: Partial<EvidenceQuestion> = {}) =>
  await findUserEvidence(ground.context, tenant, question(more));

/** Four views a minute over two hours, every 50th with an error; from a minute on, two of four have one and all wait. */
async function visit(tenant: TenantId, hurtFromMs: number): Promise<void> {
  const all = Array.from({ length: 130 * 4 }, (_, n) => {
    const atMs = SINCE - 2 * HOUR_MS + n * 15_000;
    const isHurt = atMs >= hurtFromMs;
    const errors = isHurt ? n % 2 : n % 50 === 0 ? 1 : 0;
    return view(tenant, atMs, { errors, vitals: { lcp: isHurt ? 5200 : 1900 } });
  });
  await ground.publish(all);
  await vi.waitFor(
    async () => {
      const [found] = await ground.context.reader.everyHost(tenant, { fromMs: SINCE - 3 * HOUR_MS, toMs: NOW });
      expect(found?.views).toBe(all.length);
      // Which hosts an app is seen on is noted apart from its views.
      expect((await ask(tenant)).notMeasured).not.toContain(UNSEEN);
    },
    { timeout: 20_000, interval: 50 },
  );
}

test('users who hurt are told with what is usual, and since the minute in which it began', async () => {
  const { tenant } = await ground.newTenant();
  await visit(tenant, SINCE - 6 * MINUTE_MS);
  const { facts, notMeasured } = await ask(tenant);
  expect(notMeasured).toEqual([]);
  expect(facts).toMatchObject([
    {
      ...{ kind: 'users', app: 'shop', host: HOST, atMs: SINCE - 6 * MINUTE_MS, views: 64, isDegraded: true },
      ...{ errorRatio: 0.5, p75LcpMs: 5200, usualP75LcpMs: 1900 },
    },
  ]);
  expect(facts[0]?.kind === 'users' && facts[0].usualErrorRatio).toBeLessThan(0.03);
});

test('users who are well are told as well, of another host nothing, and nothing of another tenant', async () => {
  const { tenant } = await ground.newTenant();
  await visit(tenant, NOW + HOUR_MS);
  expect((await ask(tenant)).facts).toMatchObject([{ isDegraded: false, views: 40, atMs: SINCE }]);
  for (const target of ['news.example', null]) expect(await ask(tenant, { target })).toMatchObject({ facts: [] });
  const other = await ground.newTenant();
  expect(await ask(other.tenant)).toEqual({
    ...{ plane: 'rum', facts: [] },
    notMeasured: [UNSEEN],
  });
});

test('too few views are named as not measured', async () => {
  const { tenant } = await ground.newTenant();
  await visit(tenant, NOW + HOUR_MS);
  const { facts, notMeasured } = await ask(tenant, { toMs: SINCE + MINUTE_MS });
  expect([facts, notMeasured]).toEqual([[], ['Fewer than 20 page views came since the harm began.']]);
});
