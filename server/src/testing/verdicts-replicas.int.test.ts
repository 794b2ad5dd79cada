// Verdicts of real users under replicas that live and die, messages that come again and clocks that jump: an episode signals once.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TenantId } from '#kernel';
import type { LeasedWork } from '#relational';
import { createIncidents } from '../features/incidents/index.ts';
import { createViewReader } from '../features/rum-views/reader-clickhouse.ts';
import { MINUTE_MS, openRumGround, type RumGround, views } from '../features/rum-views/test-rum-views.ts';
import { startVerdicts } from '../features/rum-views/worker.ts';

const NOW = Date.parse('2026-11-25T12:30:00.000Z');
const FAST = { everyMs: 50, ttlMs: 1000 };
const WAIT = { timeout: 20_000, interval: 50 };
const log = pino({ level: 'silent' });

let ground: RumGround;
let incidents: ReturnType<typeof createIncidents>;
let judgements = 0;
beforeAll(async () => {
  ground = await openRumGround(NOW);
  const { relational } = ground.database;
  const people = { nameActors: async () => new Map(), listPeople: async () => [] };
  incidents = createIncidents({ relational, appendAudit: async () => {}, ...people, clock: ground.clock, log });
});
afterAll(async () => await ground?.close());

/** As a process of its own has it: nothing is remembered but what the stores have. */
function startReplica(): LeasedWork {
  const { context } = ground;
  const reader = createViewReader({ store: context.telemetry.store, clock: context.clock });
  const outcomesOfHosts: typeof context.outcomesOfHosts = async (...asked) => {
    judgements += 1;
    return await context.outcomesOfHosts(...asked);
  };
  return startVerdicts({ ...context, reader, outcomesOfHosts, signals: incidents }, FAST);
}

const judged = async (count: number): Promise<void> => {
  const from = judgements;
  await vi.waitFor(() => expect(judgements).toBeGreaterThanOrEqual(from + count), WAIT);
};

const signalsOf = async (tenant: TenantId): Promise<{ kind: string; occurred_at: Date; recovered_at: Date | null }[]> =>
  await ground.database.relational.withTenantSql(
    tenant,
    async (sql) =>
      (
        await sql.query<{ kind: string; occurred_at: Date; recovered_at: Date | null }>(
          'SELECT kind, occurred_at, recovered_at FROM signals ORDER BY occurred_at, seq',
        )
      ).rows,
  );

const hurt = (tenant: string, atMs: number) => views(tenant, 20, { receivedAtMs: atMs, vitals: { lcp: 5200 } });
const inWindow = async (tenant: TenantId, count: number): Promise<void> => {
  const span = { fromMs: ground.clock.at - 15 * MINUTE_MS, toMs: ground.clock.at };
  await vi.waitFor(async () => expect((await ground.context.reader.everyHost(tenant, span))[0]?.views).toBe(count), WAIT);
};

test('one signal an episode under two replicas, a restart, redelivery and a clock that jumps, and another one after recovery', async () => {
  const { tenant } = await ground.newTenant();
  const first = hurt(tenant, NOW - 1000);
  await ground.publish(first);
  await inWindow(tenant, 20);
  const [one, two] = [startReplica(), startReplica()];
  let running = [one, two];
  try {
    const unseen = { kind: 'rum.user_impact_unseen_by_synthetics', recovered_at: null };
    const begun = [{ ...unseen, occurred_at: new Date(NOW) }];
    await vi.waitFor(async () => expect(await signalsOf(tenant)).toMatchObject(begun), WAIT);
    await judged(5);
    // The one that has the lease ends, then the other one too: whoever comes goes on in the midst of the episode.
    await one.close();
    await judged(3);
    await two.close();
    ground.clock.at = NOW + MINUTE_MS;
    running = [startReplica(), startReplica()];
    await judged(5);
    await ground.publish(first);
    await judged(3);
    for (const minutes of [180, -240, 60 * 24, 2]) {
      ground.clock.at = NOW + minutes * MINUTE_MS;
      await judged(3);
    }
    expect(await signalsOf(tenant)).toMatchObject(begun);

    await ground.publish(views(tenant, 200, { receivedAtMs: ground.clock.at - 1000, vitals: { lcp: 900 } }));
    await inWindow(tenant, 220);
    await vi.waitFor(async () => expect(await signalsOf(tenant)).toMatchObject([{ recovered_at: expect.any(Date) }]), WAIT);
    ground.clock.at = NOW + 30 * MINUTE_MS;
    await ground.publish(hurt(tenant, ground.clock.at - 1000));
    await inWindow(tenant, 20);
    const again = { ...unseen, occurred_at: new Date(ground.clock.at) };
    await vi.waitFor(async () => expect(await signalsOf(tenant)).toMatchObject([{ kind: unseen.kind }, again]), WAIT);
    await judged(3);
    expect(await signalsOf(tenant)).toHaveLength(2);
  } finally {
    await Promise.all(running.map((replica) => replica.close()));
  }
});
