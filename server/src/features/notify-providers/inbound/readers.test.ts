import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFixture } from '@svc/testkit/providers/contract';
import { describe, expect, it } from 'vitest';
import { createReaders } from './readers.ts';

const readers = createReaders(async () => undefined);
const parse = (provider: string, name: string): unknown => JSON.parse(readFixture(provider, name).toString('utf8'));
const signed = (headers: Record<string, string>, body: Uint8Array) => ({ headers, body, nowMs: 0 });

describe('PagerDuty', () => {
  const [vector] = parse('pagerduty', 'signature-vectors.json') as [{ secret: string; valid: string; wrong: string }];
  const body = readFixture('pagerduty', 'priority-updated.signed-body.json');
  const verify = (signature: string) =>
    readers.pager_a.verify(vector.secret, signed({ 'x-pagerduty-signature': signature }, body));

  it('signs as its own library says, with several secrets while they rotate', () => {
    expect(verify(vector.valid)).toBe('taken');
    expect(verify(`${vector.wrong},${vector.valid}`)).toBe('taken');
    expect(verify(`v2=abc, ${vector.valid}`)).toBe('taken');
    expect(verify(vector.wrong)).toBe('wrong');
    expect(verify('v1=abc')).toBe('malformed');
    expect(verify('sha256=x')).toBe('malformed');
    expect(readers.pager_a.verify(vector.secret, signed({}, body))).toBe('absent');
    expect(
      readers.pager_a.verify(
        vector.secret,
        signed({ 'x-pagerduty-signature': vector.valid }, Buffer.concat([body, Buffer.from('\n')])),
      ),
    ).toBe('wrong');
  });

  it.each([
    ['incident-acknowledged.json', 'acknowledged'],
    ['incident-resolved.json', 'resolved'],
    ['incident-reopened.json', 'reopened'],
  ])('says in %s that an incident became %s', (name, became) => {
    const event = parse('pagerduty', name) as { event: { id: string; occurred_at: string; data: { id: string } } };
    const { id, occurred_at: at, data } = event.event;
    expect(readers.pager_a.read(event)).toMatchObject({
      ...{ outcome: 'news', delivery: id, needsNames: data.id },
      // Its key there is an id that nobody has set: not ours.
      news: [{ names: [{ id: data.id }], became, order: Date.parse(at), atMs: Date.parse(at), by: 'Example User' }],
    });
  });

  it('says nothing that we use in others', () => {
    expect(readers.pager_a.read(parse('pagerduty', 'incident-triggered.json'))).toMatchObject({
      outcome: 'nothing',
      event: 'incident.triggered',
    });
    expect(readers.pager_a.read(JSON.parse(body.toString('utf8')))).toMatchObject({ outcome: 'nothing' });
  });
});

describe('Opsgenie', () => {
  it.each([
    ['webhook-acknowledge.json', 'acknowledged'],
    ['webhook-close.json', 'resolved'],
  ])('says in %s that an alert became %s', (name, became) => {
    const reading = readers.pager_b.read(parse('opsgenie', name));
    expect(reading).toMatchObject({
      outcome: 'news',
      delivery: null,
      news: [{ became, by: 'user@example.com', names: [{ id: 'aliastest' }, {}] }],
    });
    expect(new Date(reading.news[0]?.atMs ?? 0).toISOString()).toMatch(/^2015-01-05T10:0/);
  });

  it('names our incident by its alias', () => {
    const body = { action: 'Close', alert: { alias: 'svc-1', alertId: 'a' } };
    expect(readers.pager_b.read(body).news[0]?.names).toEqual([{ key: 'svc-1' }, { id: 'svc-1' }, { id: 'a' }]);
  });

  it('says nothing that we use of a new one', () => {
    expect(readers.pager_b.read(parse('opsgenie', 'webhook-create.json'))).toMatchObject({ outcome: 'nothing' });
    expect(readers.pager_b.verify('x', signed({}, Buffer.from('{}')))).toBe('absent');
  });
});

describe('ServiceNow', () => {
  const read = (body: unknown) => readers.ticket_a.read(body);
  it.each([
    ['6', 'resolved'],
    [6, 'resolved'],
    ['7', 'resolved'],
    [7, 'resolved'],
  ])('says by state %j that a record became %s', (state, became) => {
    const body = { sys_id: 'abc', state, correlation_id: 'svc-1', sys_mod_count: '12' };
    expect(read(body)).toMatchObject({
      outcome: 'news',
      news: [{ names: [{ id: 'abc' }, { key: 'svc-1' }], became, order: 12 }],
    });
  });

  it('says nothing by the state of one that is new, worked on or cancelled, and is not understood by a label', () => {
    for (const state of ['1', 2, '3', '8', '-5']) expect(read({ sys_id: 'abc', state })).toMatchObject({ outcome: 'nothing' });
    for (const state of ['Resolved', 'Gelöst', '', null, undefined, {}])
      expect(read({ sys_id: 'abc', state })).toMatchObject({ outcome: 'not_understood' });
    expect(read({ state: '6' })).toMatchObject({ outcome: 'not_understood', reason: 'the body has no sys_id' });
  });
});

const JIRA: Readonly<Record<string, string>> = {
  'webhook-issue-deleted.json': 'deleted',
  'webhook-issue-updated-resolved.json': 'resolved',
  'webhook-issue-updated-resolved-one-changelog.json': 'resolved',
  'webhook-server-issue-updated-resolved.json': 'resolved',
  'webhook-server-issue-updated-closed.json': 'resolved',
  'webhook-issue-updated-reopened.json': 'reopened',
  'webhook-issue-updated-reopened-one-changelog.json': 'reopened',
  'webhook-server-issue-updated-reopened.json': 'reopened',
  'webhook-issue-updated-started-working.json': 'acknowledged',
  'webhook-server-issue-updated-in-progress.json': 'acknowledged',
};
const PAYLOADS = join(import.meta.dirname, '../../../../../testkit/fixtures/jira/payloads');

describe('Jira', () => {
  it.each(readdirSync(PAYLOADS))('is read from %s', (name) => {
    const body = JSON.parse(readFileSync(join(PAYLOADS, name), 'utf8'));
    const reading = readers.ticket_b.read(body);
    const became = JIRA[name];
    if (became === undefined) expect(reading).toMatchObject({ outcome: 'nothing', news: [], delivery: null });
    else
      expect(reading).toMatchObject({
        outcome: 'news',
        news: [{ became, order: body.timestamp, names: [{ id: body.issue.id }] }],
      });
  });

  it('names our incident by its label too', () => {
    const issue = { id: '1', fields: { labels: ['other', 'svc-9'], status: { statusCategory: { key: 'done' } } } };
    expect(readers.ticket_b.read({ issue }).news[0]?.names).toEqual([{ id: '1' }, { key: 'svc-9' }]);
    // A megabyte of them is not kept, nor looked for.
    issue.fields.labels = Array.from({ length: 50_000 }, (_, i) => `svc-${i}`);
    expect(readers.ticket_b.read({ issue }).news[0]?.names).toHaveLength(21);
  });

  it('signs by X-Hub-Signature over the very bytes, once', () => {
    const body = Buffer.from('{"ä": 1}');
    const hex = createHmac('sha256', 'secret').update(body).digest('hex');
    const verify = (headers: Record<string, string>) => readers.ticket_b.verify('secret', signed(headers, body));
    expect(verify({ 'x-hub-signature': `sha256=${hex}` })).toBe('taken');
    expect(verify({ 'x-hub-signature': `sha256=${hex}, sha256=${hex}` })).toBe('malformed');
    expect(verify({ 'x-hub-signature': `sha256=${'0'.repeat(64)}` })).toBe('wrong');
    expect(verify({ 'x-hub-signature-256': `sha256=${hex}` })).toBe('absent');
  });
});

describe('whatever strangers send', () => {
  const NONSENSE = [
    null,
    1,
    'x',
    [],
    {},
    { event: [] },
    { action: {} },
    { issue: { id: {} } },
    { issue: { id: '1', fields: null }, changelog: { items: [null, 1] } },
  ];
  it.each(Object.keys(readers) as (keyof typeof readers)[])('%s never throws', (kind) => {
    for (const body of NONSENSE) expect(['nothing', 'not_understood']).toContain(readers[kind].read(body).outcome);
  });
});
