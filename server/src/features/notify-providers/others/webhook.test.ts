import { IncidentEvent } from '@svc/contracts/notify/webhook';
import { startReceiver } from '@svc/testkit/providers/hook-receiver';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '#outbound';
import { createProviders } from '../index.ts';
import { type Authority, HOST, makeAuthority, messageOf, openOutbound, SECRETS } from '../test-providers.ts';
import { deliveryIdOf, eventOf } from './webhook.ts';

let authority: Authority;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  authority = await makeAuthority();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('a signed webhook', () => {
  it.each(['open', 'update', 'acknowledge', 'resolve', 'reopen'] as const)('sends %s as its schema says', (verb) => {
    const event = eventOf(messageOf({ words: 'x' }, { resolvedAt: new Date(0) }), verb);
    expect(IncidentEvent.parse(event)).toEqual(event);
  });

  it('is handled once by a receiver that knows its id, and anew for each thing that happens', async () => {
    const sim = await startReceiver({ tls: authority.leaf, host: HOST, secret: SECRETS.webhook });
    closing.push(() => sim.close());
    const { webhook } = createProviders({ outbound: openOutbound(authority.ca) });
    const to = webhook.parse({ url: `${sim.origin}/in?team=a`, credential: SECRETS.webhook, settings: {} });
    await webhook.open(to, messageOf());
    expect(await webhook.open(to, messageOf())).toMatchObject({ is: 'sent', said: '200 known already' });
    await webhook.update(to, messageOf({ at: new Date(1) }), null);
    await webhook.update(to, messageOf({ at: new Date(2) }), null);
    expect(sim.events).toHaveLength(3);
    expect(new Set([1, 2].map((generation) => deliveryIdOf(messageOf({ generation }), 'open'))).size).toBe(2);
    sim.faults.next({ kind: 'answer', status: 410 });
    expect(await webhook.open(to, messageOf())).toMatchObject({ is: 'broken_credential' });
  });

  it('is checked as far as it can be without an event: that it may be called, is there, and shows a good certificate', async () => {
    const sim = await startReceiver({ tls: authority.leaf, host: HOST, secret: SECRETS.webhook });
    closing.push(() => sim.close());
    const checkOf = async (outbound: Outbound, url: string) => {
      const { webhook } = createProviders({ outbound });
      return await webhook.check(webhook.parse({ url, credential: SECRETS.webhook, settings: {} }));
    };
    const outbound = openOutbound(authority.ca);
    expect(await checkOf(outbound, sim.origin)).toMatchObject({ is: 'sent' });
    expect(sim.events).toEqual([]);
    const closed = createOutbound({ allow: [], ca: authority.ca, log: { debug: () => undefined } });
    const there = sim.origin.replace(HOST, '127.0.0.1');
    expect(await checkOf(closed, there)).toMatchObject({
      is: 'broken_credential',
      said: expect.stringContaining('SVC_OUTBOUND_ALLOW'),
    });
    const stranger = await makeAuthority();
    expect(await checkOf(openOutbound(stranger.ca), sim.origin)).toMatchObject({
      is: 'retry',
      said: expect.stringContaining('certificate'),
    });
    await sim.close();
    expect(await checkOf(outbound, sim.origin)).toMatchObject({ is: 'retry' });
  });

  it('cannot be asked what came: what may have arrived comes again, and says so', () => {
    const { webhook } = createProviders({ outbound: openOutbound(authority.ca) });
    const to = webhook.parse({ url: 'https://example.com/x', credential: SECRETS.webhook, settings: {} });
    expect(webhook.capabilities(to)).toMatchObject({ hasKey: false, canBeFound: false });
  });

  it('that repeats the token of its own address gives nothing of it away', async () => {
    const sim = await startReceiver({ tls: authority.leaf, host: HOST, secret: SECRETS.webhook });
    closing.push(() => sim.close());
    const { webhook } = createProviders({ outbound: openOutbound(authority.ca) });
    const to = webhook.parse({ url: `${sim.origin}/in?token=planted%20query+token`, credential: SECRETS.webhook, settings: {} });
    const body = 'no /in?token=planted%20query+token, planted query token, planted%20query%20token';
    sim.faults.next({ kind: 'answer', status: 400, body });
    const outcome = await webhook.open(to, messageOf());
    expect(outcome).toMatchObject({ is: 'final', said: expect.stringContaining('no /in?token=***') });
    expect('said' in outcome && outcome.said).not.toMatch(/planted|query/);
  });

  it('of whose answer our secret is cut off shows no half of it', async () => {
    const sim = await startReceiver({ tls: authority.leaf, host: HOST, secret: SECRETS.webhook });
    closing.push(() => sim.close());
    const { webhook } = createProviders({ outbound: openOutbound(authority.ca) });
    const to = webhook.parse({ url: sim.origin, credential: SECRETS.webhook, settings: {} });
    // Its words are cut at 200 characters here, in the middle of what it repeats.
    sim.faults.next({ kind: 'answer', status: 400, body: `${'x'.repeat(180)} ${SECRETS.webhook}` });
    expect(await webhook.open(to, messageOf())).toMatchObject({ is: 'final', said: `400 ${'x'.repeat(180)} ***` });
    sim.faults.next({ kind: 'answer', status: 204, body: '' });
    sim.faults.next({ kind: 'answer', status: 400, body: `got ...${SECRETS.webhook.slice(-12)}` });
    await webhook.open(to, messageOf());
    expect(await webhook.open(to, messageOf())).toMatchObject({ is: 'final', said: '400 got ...***' });
  });

  it('cannot be replayed later', async () => {
    const sim = await startReceiver({ tls: authority.leaf, host: HOST, secret: SECRETS.webhook });
    closing.push(() => sim.close());
    const early = createProviders({ outbound: openOutbound(authority.ca), now: () => Date.now() - 600_000 }).webhook;
    const to = early.parse({ url: sim.origin, credential: SECRETS.webhook, settings: {} });
    expect(await early.open(to, messageOf())).toMatchObject({ is: 'broken_credential', said: '401 wrong signature' });
  });

  it.each(['short', 'whsec_AAAA', 'whsec_not base64!'])('does not take %j as a secret', (credential) => {
    const { webhook } = createProviders({ outbound: openOutbound(authority.ca) });
    expect(() => webhook.parse({ url: 'https://example.com/x', credential, settings: {} })).toThrow('secret');
  });
});
