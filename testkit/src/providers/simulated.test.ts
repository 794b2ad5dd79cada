import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCertificates, type LabCertificates } from '../netlab/certificates.ts';
import { startAlerts } from './alerts.ts';
import { checkCards, readFixture } from './contract.ts';
import { startEventsV2 } from './events-v2.ts';
import { createChance, failShare } from './faults.ts';
import { startJira } from './jira.ts';
import type { ProviderServer } from './server.ts';
import { startSlack } from './slack.ts';
import { startTableApi } from './table-api.ts';
import { startTeams } from './teams.ts';
import { createWindows } from './window.ts';

/** The simulations refuse what their providers' contracts refuse, so that a test with a wrong request cannot pass. */

let tls: LabCertificates;
beforeAll(async () => {
  tls = await createCertificates({ dns: [], ip: ['127.0.0.1'] });
});
const closing: ProviderServer[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});
const keep = <S extends ProviderServer>(one: S): S => {
  closing.push(one);
  return one;
};

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function send(url: string, { method = 'POST', headers = {}, body }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method, ca: tls.ca, headers: { 'content-type': 'application/json; charset=utf-8', ...headers } },
      (answer) => {
        text(answer).then((content) => resolve({ status: answer.statusCode ?? 0, text: content }), reject);
      },
    );
    asked.once('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe('PagerDuty', () => {
  const KEY = 'a'.repeat(32);
  const payload = { summary: 's', source: 'x', severity: 'critical' };
  it.each([
    ['without a payload', { event_action: 'trigger', dedup_key: 'k' }],
    ['of another severity', { event_action: 'trigger', dedup_key: 'k', payload: { ...payload, severity: 'fatal' } }],
    ['with too long a summary', { event_action: 'trigger', payload: { ...payload, summary: 'x'.repeat(1025) } }],
    ['with too long a key', { event_action: 'trigger', dedup_key: 'k'.repeat(256), payload }],
    ['without the key of what it resolves', { event_action: 'resolve' }],
    ['of another action', { event_action: 'close', dedup_key: 'k' }],
  ])('refuses an event %s', async (_, event) => {
    const sim = keep(await startEventsV2({ tls, routingKey: KEY }));
    expect((await send(`${sim.origin}/v2/enqueue`, { body: { routing_key: KEY, ...event } })).status).toBe(400);
    expect(sim.breaches).not.toEqual([]);
  });
});

describe('Opsgenie', () => {
  it.each([
    ['without a message', { alias: 'a' }],
    ['of another priority', { message: 'm', priority: 'P9' }],
    ['with too long a message', { message: 'x'.repeat(131) }],
    ['with details that are no text', { message: 'm', details: { a: 1 } }],
  ])('refuses an alert %s', async (_, body) => {
    const sim = keep(await startAlerts({ tls, apiKey: 'k' }));
    expect((await send(`${sim.origin}/v2/alerts`, { headers: { authorization: 'GenieKey k' }, body })).status).toBe(422);
    expect(sim.breaches).not.toEqual([]);
  });

  it('takes a close of nothing with 202 and fails it behind that', async () => {
    const sim = keep(await startAlerts({ tls, apiKey: 'k' }));
    const headers = { authorization: 'GenieKey k' };
    const { status, text: body } = await send(`${sim.origin}/v2/alerts/none/close?identifierType=alias`, { headers, body: {} });
    expect(status).toBe(202);
    const { requestId } = JSON.parse(body);
    expect((await send(`${sim.origin}/v2/alerts/requests/${requestId}`, { method: 'GET', headers })).text).toContain(
      '"isSuccess":false',
    );
  });
});

describe('Slack', () => {
  it.each([
    ['without text', { channel: 'C1', blocks: [] }],
    [
      'with too long a section',
      { channel: 'C1', text: 't', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }] },
    ],
    ['that pings everybody', { channel: 'C1', text: '<!channel> look' }],
    ['of a block that is none', { channel: 'C1', text: 't', blocks: [{ type: 'sektion' }] }],
  ])('refuses a post %s', async (_, body) => {
    const sim = keep(await startSlack({ tls, botToken: 'xoxb-1', channel: { id: 'C1', name: 'n' } }));
    const { status, text: answer } = await send(`${sim.origin}/api/chat.postMessage`, {
      headers: { authorization: 'Bearer xoxb-1' },
      body,
    });
    expect([status, JSON.parse(answer).ok]).toEqual([200, false]);
    expect(sim.breaches).not.toEqual([]);
  });
});

describe('Teams', () => {
  const card = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: 'x' }] };
  const wrap = (content: unknown) => ({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  });
  it.each([
    ['that stands alone', card],
    ['with a misspelt element', wrap({ ...card, body: [{ type: 'TextBlok', text: 'x' }] })],
    ['of more than 28 KB', wrap({ ...card, body: [{ type: 'TextBlock', text: 'x'.repeat(29_000) }] })],
  ])('answers a card %s with 202 and loses it', async (_, body) => {
    const sim = keep(await startTeams({ tls, sig: 's' }));
    expect((await send(sim.url, { body })).status).toBe(202);
    expect(sim.objects()).toEqual([]);
    expect(sim.breaches).not.toEqual([]);
  });

  it('judges by the published schema', () => {
    const { card: check } = checkCards();
    expect(check(card)).toEqual([]);
    expect(check({ ...card, body: [{ type: 'FactSet', facts: [{ titel: 'x' }] }] })).not.toEqual([]);
  });
});

describe('ServiceNow', () => {
  const headers = { authorization: `Basic ${Buffer.from('u:p').toString('base64')}`, accept: 'application/json' };
  const start = async () => keep(await startTableApi({ tls, user: 'u', password: 'p' }));
  it('takes what the vendor sends in its own example', async () => {
    const sim = await start();
    const { request: example } = JSON.parse(readFixture('servicenow', 'incident-create.json').toString('utf8'));
    expect((await send(`${sim.origin}/api/now/table/incident`, { headers, body: example.body })).status).toBe(201);
    expect(sim.breaches).toEqual([]);
  });

  it.each([
    ['a field that is none', { short_description: 'x', shortdescription: 'y' }],
    ['a number', { short_description: 'x', urgency: 1 }],
    ['too long a title', { short_description: 'x'.repeat(161) }],
  ])('does not let %s be lost in silence', async (_, body) => {
    const sim = await start();
    await send(`${sim.origin}/api/now/table/incident`, { headers, body });
    expect(sim.breaches).not.toEqual([]);
  });
});

describe('Jira', () => {
  it.each([
    ['/issue', { fields: 'x' }],
    ['/issue', { fields: { project: { key: 'OPS' }, issuetype: { name: 'Task' }, summary: 'x' }, transition: 5 }],
  ])('judges what is posted to %s by the published schema', async (path, body) => {
    const sim = keep(await startJira({ tls, credential: 'a:b', project: { key: 'OPS' } }));
    const headers = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}`, 'accept-language': 'en' };
    await send(`${sim.origin}/rest/api/2${path}`, { headers, body });
    expect(sim.breaches).not.toEqual([]);
  });
});

describe('limits and chance', () => {
  it('count in all windows at once', () => {
    const windows = createWindows([
      { most: 2, ms: 1000 },
      { most: 3, ms: 10_000 },
    ]);
    expect([0, 1, 2, 1500, 1501].map((ms) => windows.take(ms))).toEqual([undefined, undefined, 998, undefined, 8499]);
  });

  it('come again with the same seed', () => {
    const run = (seed: number) =>
      Array.from({ length: 300 }, failShare(1 / 3, [{ kind: 'cut' }, { kind: 'drop' }], createChance(seed)));
    expect(run(1)).toEqual(run(1));
    expect(run(1)).not.toEqual(run(2));
    const failed = run(3).filter((one) => one !== undefined).length;
    expect(failed).toBeGreaterThan(70);
    expect(failed).toBeLessThan(130);
  });
});
