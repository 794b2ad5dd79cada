import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { claimMessages } from './outbox/claim.ts';
import { sendJob } from './outbox/send.ts';
import { doJob } from './outbox/worker.ts';
import { createTestNotify, type TestNotify } from './test-notify.ts';
import { createTestProvider, cutAfter, cutBefore, failing, type TestProvider } from './test-provider.ts';

const INCIDENTS = 6;
const STEPS = 40;
const MINUTE_MS = 60_000;

/** Numbers that are the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const keyed = { hasKey: true, canBeFound: false, canUpdate: false, reopens: 'new', canLook: false } as const;
const silent = {
  hasKey: false,
  canBeFound: false,
  canUpdate: false,
  canAcknowledge: false,
  reopens: 'new',
  canLook: false,
} as const;

const KINDS = {
  pager_a: keyed,
  pager_b: { ...keyed, canBeFound: true },
  chat_a: {},
  chat_b: silent,
  ticket_a: {},
  ticket_b: {},
} as const;

let notify: TestNotify;
const providers = Object.entries(KINDS).map(([kind, capabilities]) =>
  createTestProvider(kind as keyof typeof KINDS, { reopens: 'same', ...capabilities }),
);

beforeAll(async () => {
  notify = await createTestNotify(providers);
});
afterAll(async () => await notify?.database.close());

/** One of two replicas: takes what is due, and now and then dies before or after it sent. */
async function work(tenant: TenantId, random: () => number): Promise<void> {
  const { deps, connections } = notify;
  const { jobs } = await claimMessages(deps, tenant);
  await Promise.all(
    jobs.map(async (job) => {
      const fate = random();
      if (fate < 0.1) return;
      if (fate < 0.25) return void (await sendJob({ deps, connections, tenant }, job));
      await doJob({ deps, connections, onRecorded: () => {} }, tenant, job);
    }),
  );
}

const loseLeases = (tenant: TenantId) =>
  notify.database.relational.withSystemSql(tenant, (sql) =>
    sql.query(`UPDATE notify_outbox SET lease_until = now() - interval '1 second' WHERE lease_id IS NOT NULL`),
  );

const statusOf = async (tenant: TenantId, id: string): Promise<string> =>
  (await notify.database.relational.withSystemSql(tenant, (sql) => notify.deps.readIncidents(sql, [id])))[0]?.status ?? 'none';

/** Something becomes of an incident: here, or at a provider where it is open. */
async function happen(tenant: TenantId, id: string, random: () => number): Promise<void> {
  const status = await statusOf(tenant, id);
  const what = random();
  if (status === 'resolved') return void (what < 0.3 && (await notify.reopen(tenant, id)));
  if (what < 0.35) return void (await notify.change(tenant, { id, kind: 'signal_joined', set: {} }));
  if (what < 0.5 && status === 'open')
    return void (await notify.change(tenant, { id, kind: 'acknowledged', set: { status: 'acknowledged' }, actor: 'ann' }));
  if (what < 0.75) return void (await notify.resolve(tenant, id));
  const provider = providers[Math.floor(random() * 2) * 4] as TestProvider;
  const thing = provider.things.findLast(({ key, state }) => key === `svc-${id}` && state !== 'resolved');
  if (!thing) return;
  thing.state = 'resolved';
  const news = { names: [{ key: thing.key }], became: 'resolved', order: null, atMs: null, by: 'Ada' } as const;
  await notify.slice.takeNews(tenant, { provider: provider.provider.kind, connector: null, news });
}

async function disturb(tenant: TenantId, ids: string[], random: () => number): Promise<void> {
  if (ids.length < INCIDENTS && random() < 0.4) ids.push(await notify.open(tenant));
  const id = ids[Math.floor(random() * ids.length)];
  if (id !== undefined && random() < 0.5) await happen(tenant, id, random);
  for (const { faults } of providers)
    if (random() < 0.33) faults.push([failing, cutBefore, cutAfter][Math.floor(random() * 3)] ?? failing);
  await Promise.all([work(tenant, random), work(tenant, random)]);
  if (random() < 0.3) await loseLeases(tenant);
  notify.pass(Math.floor(random() * MINUTE_MS));
}

/** Everything answers again, and nobody dies: what is left is done. */
async function calm(tenant: TenantId): Promise<void> {
  for (const { faults } of providers) faults.length = 0;
  for (let round = 0; round < 12; round += 1) {
    await loseLeases(tenant);
    await notify.send(tenant);
    notify.pass(10 * MINUTE_MS);
  }
}

interface Link {
  provider: string;
  state: string;
  generation: number;
  repeats: number;
}

const LINKS = `SELECT c.provider, l.state, l.generation, (SELECT coalesce(sum(o.repeats), 0)::int FROM notify_outbox o
    WHERE o.incident_id = l.incident_id AND o.connector_id = l.connector_id) AS repeats
  FROM notify_links l JOIN notify_connectors c ON c.id = l.connector_id WHERE l.incident_id = $1`;

async function judge(tenant: TenantId, id: string): Promise<string[]> {
  const { rows } = await notify.database.relational.withSystemSql(tenant, (sql) => sql.query<Link>(LINKS, [id]));
  const status = await statusOf(tenant, id);
  return rows.flatMap((link) => {
    const provider = providers.find((one) => one.provider.kind === link.provider);
    const things = (provider?.things ?? []).filter(({ key }) => key === `svc-${id}`);
    const open = things.filter(({ state }) => state !== 'resolved').length;
    const most = link.generation + (link.provider === 'chat_b' ? link.repeats : 0);
    const faults: string[] = [];
    if (things.length > most) faults.push(`${things.length} objects of ${most}`);
    if (status !== 'resolved' && open < 1) faults.push(`none is open (${link.state})`);
    // A post is never taken back: what ends one is another post.
    if (status === 'resolved' && link.provider !== 'chat_b' && open > 0) faults.push(`${open} are open (${link.state})`);
    return faults.map((fault) => `${link.provider}: ${fault}`);
  });
}

describe.each([1, 2, 3])('with seed %i', (seed) => {
  it('every provider has one object an incident, in its state, whatever died and failed', async () => {
    const random = createRandom(seed);
    const tenant = await notify.newTenant();
    for (const one of providers) {
      one.things.length = 0;
      one.calls.length = 0;
      one.faults.length = 0;
      await notify.connect(tenant, one.provider.kind);
    }
    const ids: string[] = [];
    for (let step = 0; step < STEPS; step += 1) await disturb(tenant, ids, random);
    await calm(tenant);
    const faults = await Promise.all(ids.map(async (id, at) => (await judge(tenant, id)).map((fault) => `${at} ${fault}`)));
    expect(faults.flat()).toEqual([]);
    expect(ids.length).toBe(INCIDENTS);
    expect((await notify.as(tenant).pulse()).waiting).toBe(0);
  });
});
