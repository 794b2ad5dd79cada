import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { loadLinks } from './links/load.ts';
import { claimMessages } from './outbox/claim.ts';
import { recordResult } from './outbox/record.ts';
import { sendJob } from './outbox/send.ts';
import { createTestNotify, type TestNotify } from './test-notify.ts';
import { createTestProvider, cutAfter, cutBefore, failing, type TestProvider } from './test-provider.ts';

const MINUTE_MS = 60_000;
const NO_LOOK_UP = {
  hasKey: false,
  canBeFound: false,
  canUpdate: false,
  canAcknowledge: false,
  reopens: 'new',
  canLook: false,
} as const;

let notify: TestNotify;
let tenant: TenantId;
const ticket = createTestProvider('ticket_b');
const pager = createTestProvider('pager_a', { hasKey: true, canBeFound: false, canUpdate: false, reopens: 'new' });
const chat = createTestProvider('chat_b', NO_LOOK_UP, { gathers: 3, perMinute: 60, burst: 1, concurrency: 1 });
const all: readonly TestProvider[] = [ticket, pager, chat];

beforeAll(async () => {
  notify = await createTestNotify(all);
});
afterAll(async () => await notify?.database.close());
beforeEach(async () => {
  tenant = await notify.newTenant();
  for (const one of all) {
    one.things.length = 0;
    one.calls.length = 0;
    one.faults.length = 0;
    one.reject(undefined);
  }
  notify.recorded.length = 0;
});

/** What a killed worker leaves behind: its lease ends, and nothing is known of what it did. */
const loseLeases = () =>
  notify.database.relational.withSystemSql(tenant, (sql) =>
    sql.query(`UPDATE notify_outbox SET lease_until = now() - interval '1 second' WHERE lease_id IS NOT NULL`),
  );

const sending = () => ({ deps: notify.deps, connections: notify.connections, tenant });

/** Sends what is due and dies before anything of it is written. */
async function sendAndDie(): Promise<void> {
  const { jobs } = await claimMessages(notify.deps, tenant);
  for (const job of jobs) await sendJob(sending(), job);
  await loseLeases();
}

describe('an incident', () => {
  it('is opened once at each connector, acknowledged and resolved there, in that order', async () => {
    await notify.connect(tenant, 'ticket_b');
    await notify.connect(tenant, 'pager_a');
    const id = await notify.open(tenant);
    await notify.change(tenant, { id, kind: 'acknowledged', set: { status: 'acknowledged' }, actor: 'ann' });
    await notify.send(tenant);
    await notify.resolve(tenant, id, 'ann');
    await notify.send(tenant);
    expect(ticket.things).toMatchObject([{ key: `svc-${id}`, state: 'resolved', opens: 1 }]);
    expect(pager.things).toMatchObject([{ key: `svc-${id}`, state: 'resolved', opens: 1 }]);
    expect(ticket.verbs()).toEqual(['open', 'acknowledge', 'resolve']);
    expect(pager.calls.at(-1)?.message?.words).toBe('Resolved by Name of ann.');
    const [notice] = (await notify.as(tenant).ofIncident({ id })).items;
    expect(notice).toMatchObject({
      state: 'resolved',
      told: 'sent',
      external: { label: 'OPS-1', url: 'https://tickets.example/1' },
    });
  });

  it('is kept with what is told of it or not at all', async () => {
    await notify.connect(tenant, 'ticket_b');
    const id = await notify.open(tenant);
    const undone = notify.database.relational.withSystemSql(tenant, async (sql) => {
      await notify.slice.noteTransitions(sql, [{ kind: 'acknowledged', incident: { id }, actor: 'ann', detail: '' }]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await notify.told(tenant, id)).toEqual({ ticket_b: ['open waiting'] });
  });

  it('that two workers see is sent by one of them', async () => {
    await notify.connect(tenant, 'ticket_b');
    for (let count = 0; count < 6; count += 1) await notify.open(tenant);
    await Promise.all([notify.send(tenant), notify.send(tenant), notify.send(tenant)]);
    await notify.send(tenant);
    expect(ticket.things.map(({ opens }) => opens)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(new Set(ticket.things.map(({ key }) => key)).size).toBe(6);
  });

  it('that changes while a worker takes its messages up waits for that, and that does not wait for it', async () => {
    await notify.connect(tenant, 'ticket_b');
    const id = await notify.open(tenant);
    const { relational } = notify.database;
    await relational.withTenantSql(tenant, async (sql) => {
      let claimed: string[] = [];
      const query = async (text: string, values: unknown[]) => {
        // Its links are held by now, its messages not yet: the worker takes them.
        if (text.includes('FROM notify_outbox')) {
          const late = setTimeout(2000, { jobs: [] });
          const { jobs } = await Promise.race([claimMessages(notify.deps, tenant), late]);
          claimed = jobs.flatMap(({ messages }) => messages.map(({ row }) => row.incident_id));
        }
        return await sql.query(text, values);
      };
      const held = new Proxy(sql, { get: (real, name) => (name === 'query' ? query : Reflect.get(real, name)) });
      await loadLinks(held, [id]);
      expect(claimed).toEqual([id]);
    });
  });

  it('that quiet hours hold back is sent at once when it becomes critical', async () => {
    await notify.connect(tenant, 'pager_a');
    notify.delay(8 * 3_600_000);
    const id = await notify.open(tenant);
    notify.delay(0);
    await notify.send(tenant);
    expect(await notify.told(tenant, id)).toEqual({ pager_a: ['open waiting'] });
    await notify.change(tenant, { id, kind: 'severity_set', set: { severity: 'critical' } });
    await notify.send(tenant);
    expect(await notify.told(tenant, id)).toEqual({ pager_a: ['open sent'] });
    expect(pager.calls.at(-1)?.message?.incident.severity).toBe('critical');
  });

  it('that resolves before it is sent is never sent', async () => {
    await notify.connect(tenant, 'ticket_b');
    const id = await notify.open(tenant);
    await notify.resolve(tenant, id);
    await notify.send(tenant);
    expect([ticket.calls, await notify.told(tenant, id)]).toEqual([[], { ticket_b: ['open dropped'] }]);
  });

  it('that opens again is opened again: the same ticket, and another page that names the old one', async () => {
    await notify.connect(tenant, 'ticket_b');
    await notify.connect(tenant, 'pager_a');
    const id = await notify.open(tenant);
    await notify.send(tenant);
    await notify.resolve(tenant, id);
    await notify.send(tenant);
    await notify.reopen(tenant, id);
    await notify.send(tenant);
    expect(ticket.things).toMatchObject([{ state: 'open' }]);
    expect(pager.things).toMatchObject([{ state: 'resolved' }, { state: 'open' }]);
    expect(pager.calls.at(-1)?.message).toMatchObject({ generation: 2, former: { id: '1' } });
    await notify.resolve(tenant, id);
    await notify.send(tenant);
    expect([...ticket.things, ...pager.things].map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved']);
  });

  it('whose ticket somebody deleted gets another one when it opens again', async () => {
    await notify.connect(tenant, 'ticket_b');
    const id = await notify.open(tenant);
    await notify.send(tenant);
    Object.assign(ticket.things[0] ?? {}, { state: 'gone' });
    await notify.resolve(tenant, id);
    await notify.send(tenant);
    expect(await notify.told(tenant, id)).toEqual({ ticket_b: ['open sent', 'resolve dropped'] });
    await notify.reopen(tenant, id);
    await notify.send(tenant);
    expect(ticket.things).toMatchObject([{ state: 'gone' }, { state: 'open' }]);
  });
});

describe('a worker that is killed between sending and writing', () => {
  it('leaves one ticket: it is found again', async () => {
    await notify.connect(tenant, 'ticket_b');
    const id = await notify.open(tenant);
    await sendAndDie();
    await notify.send(tenant);
    expect([ticket.things.length, ticket.verbs()]).toEqual([1, ['open', 'find']]);
    expect(await notify.told(tenant, id)).toEqual({ ticket_b: ['open sent'] });
  });

  it('leaves one page: the key is sent again', async () => {
    await notify.connect(tenant, 'pager_a');
    await notify.open(tenant);
    await sendAndDie();
    await notify.send(tenant);
    expect([pager.things.length, pager.verbs()]).toEqual([1, ['open', 'open']]);
  });

  it('before sending loses nothing', async () => {
    await notify.connect(tenant, 'ticket_b');
    await notify.open(tenant);
    await claimMessages(notify.deps, tenant);
    await notify.send(tenant);
    expect(ticket.things).toEqual([]);
    await loseLeases();
    await notify.send(tenant);
    expect([ticket.things.length, ticket.verbs()]).toEqual([1, ['find', 'open']]);
  });

  it('leaves at most one post too many where nobody can look, marked and counted', async () => {
    await notify.connect(tenant, 'chat_b');
    const id = await notify.open(tenant);
    await sendAndDie();
    notify.pass(MINUTE_MS);
    await notify.send(tenant);
    expect(chat.things.map(({ repeats }) => repeats)).toEqual([0, 1]);
    expect(notify.recorded).toEqual(['sent', 'possible_repeat']);
    expect((await notify.as(tenant).ofIncident({ id })).items).toMatchObject([{ possible_repeats: 1, told: 'sent' }]);
  });

  it('and writes late is not believed: another one has taken the message up', async () => {
    await notify.connect(tenant, 'ticket_b');
    const id = await notify.open(tenant);
    const { jobs } = await claimMessages(notify.deps, tenant);
    await loseLeases();
    await notify.send(tenant);
    for (const job of jobs)
      for (const done of await sendJob(sending(), job))
        expect(await recordResult(notify.deps, { tenant, job }, done)).toBeUndefined();
    expect(await notify.told(tenant, id)).toEqual({ ticket_b: ['open sent'] });
  });

  it('and drops what has to be said again by the time that this is written, says it', async () => {
    await notify.connect(tenant, 'ticket_b');
    const id = await notify.open(tenant);
    await notify.send(tenant);
    await notify.resolve(tenant, id);
    await claimMessages(notify.deps, tenant);
    await loseLeases();
    await notify.reopen(tenant, id);
    const { jobs } = await claimMessages(notify.deps, tenant);
    // Counts on the resolve that is on its way.
    await notify.resolve(tenant, id);
    for (const job of jobs)
      for (const done of await sendJob(sending(), job)) await recordResult(notify.deps, { tenant, job }, done);
    notify.pass(MINUTE_MS);
    await notify.send(tenant);
    expect(ticket.things).toMatchObject([{ state: 'resolved' }]);
  });

  it('and drops what recovered within its delay and fails again by the time that this is written, says it', async () => {
    await notify.connect(tenant, 'ticket_b');
    notify.delay(MINUTE_MS);
    await notify.open(tenant);
    notify.delay(0);
    notify.pass(MINUTE_MS);
    const { jobs } = await claimMessages(notify.deps, tenant);
    for (const job of jobs) {
      const recovered = job.messages.map((one) => ({ ...one, incident: { ...one.incident, openSignalCount: 0 } }));
      for (const done of await sendJob(sending(), { ...job, messages: recovered }))
        await recordResult(notify.deps, { tenant, job }, done);
    }
    notify.pass(MINUTE_MS);
    await notify.send(tenant);
    expect(ticket.things).toMatchObject([{ state: 'open' }]);
  });
});

describe('a provider', () => {
  it('that cuts after it took an open is looked at, and before that asked again', async () => {
    await notify.connect(tenant, 'ticket_b');
    ticket.faults.push(cutAfter);
    await notify.open(tenant);
    await notify.send(tenant);
    notify.pass(MINUTE_MS);
    await notify.send(tenant);
    expect(ticket.things.length).toBe(1);
    ticket.faults.push(cutBefore);
    await notify.open(tenant);
    await notify.send(tenant);
    notify.pass(MINUTE_MS);
    await notify.send(tenant);
    expect(ticket.things.length).toBe(2);
  });

  it('that fails is asked by one message for all, and gets them all when it answers', async () => {
    await notify.connect(tenant, 'ticket_b');
    ticket.faults.push(failing, failing, failing, failing);
    for (let count = 0; count < 10; count += 1) await notify.open(tenant);
    await notify.send(tenant);
    expect(ticket.calls.length).toBe(4);
    expect((await notify.as(tenant).pulse()).failing).toBe(1);
    for (let round = 0; round < 10; round += 1) {
      notify.pass(MINUTE_MS);
      await notify.send(tenant);
    }
    expect([ticket.things.length, (await notify.as(tenant).pulse()).failing]).toEqual([10, 0]);
  });

  it('that asks for time gets it, and is not asked for a day: then the message is dead, and a person can send it', async () => {
    const connector = await notify.connect(tenant, 'ticket_b');
    ticket.faults.push({ outcome: { is: 'retry', afterMs: 30 * MINUTE_MS, said: '429' }, isProcessed: false });
    const id = await notify.open(tenant);
    await notify.send(tenant);
    notify.pass(29 * MINUTE_MS);
    await notify.send(tenant);
    expect(ticket.calls.length).toBe(1);
    notify.pass(25 * 60 * MINUTE_MS);
    await notify.send(tenant);
    expect(await notify.told(tenant, id)).toEqual({ ticket_b: ['open dead'] });
    const { items, counts } = await notify.as(tenant).outbox.list({ connector, state: 'dead' });
    expect([items.length, counts.dead, (await notify.as(tenant).pulse()).dead]).toEqual([1, 1, 1]);
    await notify.as(tenant).outbox.retry({ id: items[0]?.id ?? '' });
    await notify.send(tenant);
    expect(await notify.told(tenant, id)).toEqual({ ticket_b: ['open sent'] });
  });

  it('that refuses a credential stops its connector; another credential sends what waited', async () => {
    const id = await notify.connect(tenant, 'ticket_b');
    ticket.reject('first');
    await notify.open(tenant);
    await notify.open(tenant);
    await notify.send(tenant);
    expect(await notify.as(tenant).connectors.get({ id })).toMatchObject({
      state: 'broken',
      state_reason: '401 Unauthorized',
      waiting: 2,
    });
    expect(notify.trail.at(-1)).toMatchObject({ action: 'notify_connector.break' });
    await notify.send(tenant);
    await notify.as(tenant).connectors.change({ id, values: { credential: 'second' } });
    await notify.send(tenant);
    expect([ticket.things.length, ticket.calls.at(-1)?.credential]).toEqual([2, 'second']);
    expect(await notify.as(tenant).connectors.get({ id })).toMatchObject({ state: 'active', waiting: 0, sent_24h: 2 });
  });

  it('that refuses an old credential while it is replaced leaves the new one alone', async () => {
    const id = await notify.connect(tenant, 'ticket_b');
    ticket.reject('first');
    await notify.open(tenant);
    const release = ticket.hold();
    const sent = notify.send(tenant);
    while (ticket.calls.length === 0) await new Promise(setImmediate);
    await notify.as(tenant).connectors.change({ id, values: { credential: 'second' } });
    release();
    await sent;
    expect(await notify.as(tenant).connectors.get({ id })).toMatchObject({ state: 'active' });
    expect(ticket.things.length).toBe(1);
  });

  it('beyond its rate gets several incidents in one post', async () => {
    await notify.connect(tenant, 'chat_b');
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.push(await notify.open(tenant));
    await notify.send(tenant);
    expect(chat.calls.map(({ message }) => message?.together.length)).toEqual([2]);
    notify.pass(1000);
    await notify.send(tenant);
    expect(chat.calls.length).toBe(2);
    for (const id of ids) expect(await notify.told(tenant, id)).toEqual({ chat_b: ['open sent'] });
    notify.pass(MINUTE_MS);
    await notify.resolve(tenant, ids[1] ?? '');
    await notify.send(tenant);
    expect(chat.calls.at(-1)).toMatchObject({ verb: 'resolve' });
  });
});

describe('a connector', () => {
  it('sends a credential that is kept to no other address than the one it was given for', async () => {
    const as = notify.as(tenant).connectors;
    const values = { url: 'https://tickets.example', credential: 'first', project: 'OPS' };
    const { id } = await as.create({ provider: 'ticket_b', name: 'tickets', values });
    const elsewhere = { url: 'https://mine.example', project: 'OPS' };
    for (const stolen of [
      elsewhere,
      { ...elsewhere, credential: '' },
      { ...values, credential: '', project: 'https://mine.example' },
    ])
      await expect(as.change({ id, values: stolen })).rejects.toMatchObject({
        cause: { code: 'validation', faults: [{ path: 'values.credential' }] },
      });
    expect(await as.get({ id })).toMatchObject({ settings: { url: 'https://tickets.example' } });
    await as.change({ id, values: { ...values, credential: '', project: 'NET' } });
    await as.change({ id, values: { ...elsewhere, credential: 'second' } });
    expect(await as.get({ id })).toMatchObject({ settings: { url: 'https://mine.example', project: 'OPS' } });
  });

  it('that is paused lets messages wait; one that is deleted sends none of them', async () => {
    const id = await notify.connect(tenant, 'ticket_b');
    await notify.as(tenant).connectors.pause({ id });
    const first = await notify.open(tenant);
    await notify.send(tenant);
    expect(await notify.told(tenant, first)).toEqual({ ticket_b: ['open waiting'] });
    await notify.as(tenant).connectors.resume({ id });
    await notify.send(tenant);
    const second = await notify.open(tenant);
    await notify.as(tenant).connectors.remove({ id });
    await notify.send(tenant);
    expect([await notify.told(tenant, first), await notify.told(tenant, second)]).toEqual([
      { ticket_b: ['open sent'] },
      { ticket_b: ['open dropped'] },
    ]);
    await expect(notify.as(tenant).connectors.get({ id })).rejects.toMatchObject({ cause: { code: 'not_found' } });
    await notify.open(tenant);
    await notify.send(tenant);
    expect(ticket.things.length).toBe(1);
  });

  it('is tested by a message that says so and is closed again', async () => {
    const id = await notify.connect(tenant, 'ticket_b');
    expect(await notify.as(tenant).connectors.test({ id })).toMatchObject({
      ok: true,
      steps: [{ step: 'check' }, {}, { outcome: 'sent' }],
    });
    expect(ticket.things).toMatchObject([{ state: 'resolved' }]);
    expect(ticket.calls[0]?.message).toMatchObject({ isTest: true, key: expect.stringMatching(/^svc-test-/) });
    expect(ticket.calls[0]?.message?.incident.url).toMatch(new RegExp(`/notify\\?open=${id}$`));
    ticket.reject('first');
    expect(await notify.as(tenant).connectors.test({ id })).toMatchObject({
      ok: false,
      steps: [{ outcome: 'broken_credential' }],
    });
  });

  it('never gives its credential out again, and refuses values that its form does not know', async () => {
    const values = { url: 'https://x.example', credential: 'planted-credential', project: 'OPS' };
    await notify.as(tenant).connectors.create({ provider: 'ticket_b', name: 'ops', values });
    await notify.open(tenant);
    await notify.send(tenant);
    const shown = JSON.stringify([await notify.as(tenant).connectors.list(), await notify.as(tenant).outbox.list({})]);
    expect(shown).not.toContain('planted-credential');
    expect(shown).toContain('"project":"OPS"');
    const exported: unknown[] = [];
    for await (const rows of notify.slice.data.exportRows(tenant)) exported.push(rows);
    expect(JSON.stringify(exported)).not.toContain('planted-credential');
    expect(ticket.calls.at(-1)?.credential).toBe('planted-credential');
    const wrong = notify
      .as(tenant)
      .connectors.create({ provider: 'ticket_b', name: 'x', values: { other: 'y', credential: 'z' } });
    await expect(wrong).rejects.toMatchObject({ cause: { code: 'validation' } });
  });
});
