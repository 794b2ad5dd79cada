import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectNews, TenantId } from '#kernel';
import { lookUp } from './links/look.ts';
import { createTestNotify, type TestNotify } from './test-notify.ts';
import { createTestProvider, cutAfter } from './test-provider.ts';

let notify: TestNotify;
let tenant: TenantId;
const ticket = createTestProvider('ticket_a');
const pager = createTestProvider('pager_a', {
  hasKey: true,
  canBeFound: false,
  canUpdate: false,
  reopens: 'new',
  canLook: false,
});

beforeAll(async () => {
  notify = await createTestNotify([ticket, pager]);
});
afterAll(async () => await notify?.database.close());
beforeEach(async () => {
  tenant = await notify.newTenant();
  for (const one of [ticket, pager]) {
    one.things.length = 0;
    one.calls.length = 0;
  }
});

const MINUTE_MS = 60_000;

const news = (given: Partial<ObjectNews>): ObjectNews => ({
  names: [],
  became: 'resolved',
  order: null,
  atMs: null,
  by: null,
  ...given,
});
const hear = (given: Partial<ObjectNews>, of: TenantId = tenant) =>
  notify.slice.takeNews(of, { provider: 'ticket_a', connector: null, news: news(given) });

async function openBoth(): Promise<string> {
  await notify.connect(tenant, 'ticket_a');
  await notify.connect(tenant, 'pager_a');
  const id = await notify.open(tenant);
  await notify.send(tenant);
  return id;
}

describe('a provider that hangs', () => {
  it('is not asked about all that is open there while those of other tenants wait', async () => {
    await notify.connect(tenant, 'ticket_a');
    for (let count = 0; count < 5; count += 1) await notify.open(tenant);
    await notify.send(tenant);
    notify.pass(11 * 60_000);
    let looks = 0;
    const provider = {
      ...ticket.provider,
      look: async () => {
        notify.pass(10_000);
        looks += 1;
        return 'unknown' as const;
      },
    };
    await lookUp({ ...notify.deps, providers: { ticket_a: provider } }, { tenant, connections: notify.connections });
    expect(looks).toBe(2);
  });
});

describe('what is resolved at one provider', () => {
  it('by somebody who is erased is told without their address from then on', async () => {
    const id = await openBoth();
    await hear({ names: [{ id: '1' }], by: 'Ada@person.test' });
    const erased = await notify.slice.data.eraseSubject(tenant, {
      ...{ accounts: [], email: 'ada@person.test', agents: [], devices: [] },
    });
    expect(erased).toMatchObject({ notify_outbox: 2 });
    await notify.send(tenant);
    expect(pager.calls.at(-1)?.message?.words).toMatch(/^Resolved at Name of connector\/\S+\.$/);
    expect(await notify.told(tenant, id)).toMatchObject({ pager_a: ['open sent', 'resolve sent'] });
  });

  it('is resolved at all others, is never told back, and again does nothing', async () => {
    const id = await openBoth();
    expect(await hear({ names: [{ id: '1' }], by: 'Ada' })).toEqual({ outcome: 'resolved', incident: id });
    await notify.send(tenant);
    expect([ticket.verbs(), pager.verbs()]).toEqual([['open'], ['open', 'resolve']]);
    expect(pager.calls.at(-1)?.message?.words).toMatch(/^Resolved at Name of connector\/\S+ by Ada\.$/);
    expect(await hear({ names: [{ id: '1' }] })).toEqual({ outcome: 'nothing_to_do', incident: id });
    expect(await hear({ names: [{ key: `svc-${id}` }] })).toEqual({ outcome: 'nothing_to_do', incident: id });
    const { items } = await notify.as(tenant).ofIncident({ id });
    expect(items.map(({ connector, state, is_origin: isOrigin }) => [connector.name, state, isOrigin])).toEqual([
      ['pager_a', 'resolved', false],
      ['ticket_a', 'resolved', true],
    ]);
  });

  it('of another tenant is not known, by key or by id', async () => {
    const id = await openBoth();
    const other = await notify.newTenant();
    await notify.connect(other, 'ticket_a');
    for (const names of [[{ id: '1' }], [{ key: `svc-${id}` }]])
      expect(await hear({ names }, other)).toEqual({ outcome: 'unknown', incident: null });
    expect(await notify.told(tenant, id)).toEqual({ ticket_a: ['open sent'], pager_a: ['open sent'] });
  });

  it('of two that have an object each is the one whose own id is told; by our key alone neither is spared', async () => {
    for (const name of ['A', 'B']) await notify.connect(tenant, 'ticket_a', name);
    const id = await notify.open(tenant);
    await notify.send(tenant);
    const { items } = await notify.as(tenant).ofIncident({ id });
    const second = items.find(({ connector }) => connector.name === 'B')?.connector.id;
    const { rows } = await notify.database.relational.withSystemSql(tenant, (sql) =>
      sql.query<{ id: string }>('SELECT reference_id AS id FROM notify_references WHERE connector_id = $1', [second]),
    );
    await hear({ names: [{ id: rows[0]?.id ?? '' }, { key: `svc-${id}` }] });
    await notify.send(tenant);
    expect(await notify.told(tenant, id)).toEqual({ A: ['open sent', 'resolve sent'], B: ['open sent', 'resolve held_back'] });
    const next = await notify.open(tenant);
    await notify.send(tenant);
    await hear({ names: [{ key: `svc-${next}` }] });
    await notify.send(tenant);
    expect(await notify.told(tenant, next)).toEqual({ A: ['open sent', 'resolve sent'], B: ['open sent', 'resolve sent'] });
  });

  it('is not taken for acknowledged by our own re-opening, and is by whoever takes it later', async () => {
    const id = await openBoth();
    await notify.resolve(tenant, id);
    await notify.send(tenant);
    await notify.reopen(tenant, id);
    await notify.send(tenant);
    const acknowledged = () => hear({ names: [{ id: '1' }], became: 'acknowledged', atMs: notify.deps.clock.now() });
    notify.pass(2000);
    expect(await acknowledged()).toMatchObject({ outcome: 'older' });
    notify.pass(MINUTE_MS);
    expect(await acknowledged()).toEqual({ outcome: 'acknowledged', incident: id });
  });

  it('by a connector that has none of it is found by our key all the same', async () => {
    const id = await notify.open(tenant);
    expect(await hear({ names: [{ key: `svc-${id}` }] })).toEqual({ outcome: 'resolved', incident: id });
    expect(await hear({ names: [{ key: 'svc-nothing' }] })).toEqual({ outcome: 'unknown', incident: null });
  });

  it('by an id that nobody knows is not known at once, unless an object is being opened there whose id it may be', async () => {
    await notify.connect(tenant, 'pager_a');
    const connector = await notify.connect(tenant, 'ticket_a');
    const early = { names: [{ id: '1' }] };
    const id = await notify.open(tenant);
    // It is not on its way yet, so that nobody can know of it.
    expect(await hear(early)).toEqual({ outcome: 'unknown', incident: null });
    const letGo = ticket.hold();
    const sending = notify.send(tenant);
    await expect.poll(() => ticket.calls).toHaveLength(1);
    const by = (of: string) => notify.slice.takeNews(tenant, { provider: 'ticket_a', connector: of, news: news(early) });
    // Our keys are known before anything is opened.
    const key = 'svc-0197a000-0000-7000-8000-000000000001';
    const meanwhile = [await hear(early), await by(connector), await by('other'), await hear({ names: [{ key }] })];
    letGo();
    await sending;
    expect(meanwhile.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'unknown', 'unknown']);
    expect(await hear(early)).toEqual({ outcome: 'resolved', incident: id });
    expect(await hear({ names: [{ id: '2' }] })).toEqual({ outcome: 'unknown', incident: null });
  });

  it('by an id is waited for while it is in doubt whether an object was opened there', async () => {
    await notify.connect(tenant, 'ticket_a');
    const id = await notify.open(tenant);
    ticket.faults.push(cutAfter);
    await notify.send(tenant);
    expect(await hear({ names: [{ id: '1' }] })).toEqual({ outcome: 'waiting', incident: null });
    notify.pass(MINUTE_MS);
    await notify.send(tenant);
    expect(await hear({ names: [{ id: '1' }] })).toEqual({ outcome: 'resolved', incident: id });
  });

  it('out of order never opens again and never resolves what opened again since', async () => {
    const id = await openBoth();
    await hear({ names: [{ id: '1' }], order: 5 });
    expect(await hear({ names: [{ id: '1' }], order: 4, became: 'reopened' })).toMatchObject({ outcome: 'older' });
    expect(await hear({ names: [{ id: '1' }], order: 6, became: 'reopened' })).toEqual({ outcome: 'noted', incident: id });
    await notify.send(tenant);
    await notify.reopen(tenant, id);
    await notify.send(tenant);
    expect(await hear({ names: [{ id: '1' }], order: 5 })).toMatchObject({ outcome: 'older' });
    const before = notify.deps.clock.now() - 1000;
    expect(await hear({ names: [{ id: '1' }], atMs: before })).toMatchObject({ outcome: 'older' });
    expect(await hear({ names: [{ id: '1' }], order: 7, atMs: before + 2000 })).toMatchObject({ outcome: 'resolved' });
  });

  it('while our own resolve waits is not told there any more', async () => {
    const id = await openBoth();
    await notify.resolve(tenant, id, 'ann');
    expect(await hear({ names: [{ id: '1' }] })).toMatchObject({ outcome: 'nothing_to_do' });
    await notify.send(tenant);
    expect([ticket.verbs(), pager.verbs()]).toEqual([['open'], ['open', 'resolve']]);
  });
});

describe('what is acknowledged at one provider', () => {
  it('is acknowledged at the others, with the name that it was told by', async () => {
    const id = await openBoth();
    expect(await hear({ names: [{ id: '1' }], became: 'acknowledged', by: 'Ada' })).toMatchObject({ outcome: 'acknowledged' });
    await notify.send(tenant);
    expect([ticket.verbs(), pager.verbs()]).toEqual([['open'], ['open', 'acknowledge']]);
    const notices = async () => (await notify.as(tenant).ofIncident({ id })).items;
    expect((await notices())[1]).toMatchObject({ acknowledged_there_by: 'Ada' });
    // The pager tells what it was told by us: nobody acknowledged it there.
    const echo = news({ names: [{ key: `svc-${id}` }], became: 'acknowledged', by: 'the integration' });
    expect(await notify.slice.takeNews(tenant, { provider: 'pager_a', connector: null, news: echo })).toMatchObject({
      outcome: 'nothing_to_do',
    });
    expect((await notices()).map((one) => one.acknowledged_there_by).toSorted()).toEqual(['Ada', null]);
  });
});

describe('a provider that tells once and never again', () => {
  it('is looked up every ten minutes: what is resolved there is resolved here', async () => {
    const id = await openBoth();
    const look = () => lookUp(notify.deps, { tenant, connections: notify.connections });
    expect(await look()).toBe(0);
    notify.pass(10 * 60_000 + 1);
    expect(await look()).toBe(1);
    expect(await notify.told(tenant, id)).toMatchObject({ ticket_a: ['open sent'] });
    Object.assign(ticket.things[0] ?? {}, { state: 'resolved' });
    notify.pass(10 * 60_000 + 1);
    await look();
    await notify.send(tenant);
    expect(pager.verbs()).toEqual(['open', 'resolve']);
    expect(ticket.verbs()).toEqual(['open', 'look', 'look']);
  });
});
