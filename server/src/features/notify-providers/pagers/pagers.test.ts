import { startAlerts } from '@svc/testkit/providers/alerts';
import { startEventsV2 } from '@svc/testkit/providers/events-v2';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNativeReaders, createProviders } from '../index.ts';
import { type Authority, HOST, makeAuthority, messageOf, only, openOutbound, SECRETS } from '../test-providers.ts';

let authority: Authority;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  authority = await makeAuthority();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const REST_KEY = 'planted-rest-key';

async function pagerDuty(settings: Record<string, string> = {}, grouped: readonly string[] = []) {
  const keys = { routingKey: SECRETS.routing, restKey: REST_KEY };
  const sim = await startEventsV2({ tls: authority.leaf, host: HOST, ...keys, grouped });
  closing.push(() => sim.close());
  const provider = createProviders({ outbound: openOutbound(authority.ca) }).pager_a;
  const to = provider.parse({
    url: `${sim.origin}/v2/enqueue`,
    credential: SECRETS.routing,
    settings: { rest_url: sim.origin, ...settings },
  });
  return { sim, provider, to };
}

describe('PagerDuty', () => {
  it('adds a repeated trigger to the open alert, and makes another incident after a resolve', async () => {
    const { sim, provider, to } = await pagerDuty();
    await provider.open(to, messageOf());
    await provider.open(to, messageOf());
    expect(only(sim).state).toBe('open');
    await provider.resolve(to, messageOf(), null);
    await provider.open(to, messageOf({ generation: 2 }));
    expect(sim.objects().map(({ state }) => state)).toEqual(['resolved', 'open']);
  });

  it.each([
    ['critical', 'critical'],
    ['warning', 'warning'],
    ['info', 'info'],
  ] as const)('gets %s as %s', async (severity, expected) => {
    const { sim, provider, to } = await pagerDuty();
    await provider.open(to, messageOf({}, { severity, target: null, site: null, prefix: null }));
    expect(sim.calls[0]?.json).toMatchObject({ payload: { severity: expected, source: expect.stringMatching(/./) } });
  });

  it('takes a 202 that is no success as a doubt, and sends the same key again', async () => {
    const { sim, provider, to } = await pagerDuty();
    const body = { status: 'throttled', message: 'later', dedup_key: messageOf().key };
    sim.faults.next({ kind: 'answer', status: 202, body });
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'ambiguous' });
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'accepted' });
  });

  it('breaks the connector where the routing key is not known, and never repeats it', async () => {
    const { provider, to } = await pagerDuty();
    const wrong = { ...to, credential: 'X'.repeat(32) };
    for (const outcome of [await provider.open(wrong, messageOf()), await provider.check(wrong)])
      expect(outcome).toMatchObject({ is: 'broken_credential', said: expect.stringContaining('routing_key') });
    expect(await provider.check({ ...to, settings: { ...to.settings, rest_key: 'wrong-rest-key' } })).toMatchObject({
      is: 'broken_credential',
    });
    expect(await provider.check({ ...to, settings: { ...to.settings, rest_key: REST_KEY } })).toMatchObject({ is: 'sent' });
  });

  it('tells our keys of one of its incidents to whoever may ask', async () => {
    const { sim, provider, to } = await pagerDuty({ rest_key: REST_KEY });
    await provider.open(to, messageOf());
    const { askNames } = createNativeReaders({ outbound: openOutbound(authority.ca) }).pager_a;
    expect(await askNames?.(to, only(sim).id)).toEqual([messageOf().key]);
    expect(await askNames?.({ ...to, settings: {} }, only(sim).id)).toBeUndefined();
    expect(await askNames?.(to, 'QUNKNOWN')).toBeUndefined();
  });

  it('tells the keys of all alerts that are grouped into one incident, of which a page holds a hundred', async () => {
    const grouped = Array.from({ length: 240 }, (_, at) => `svc-grouped-${at}`);
    const { sim, provider, to } = await pagerDuty({ rest_key: REST_KEY }, grouped);
    await provider.open(to, messageOf());
    const { askNames } = createNativeReaders({ outbound: openOutbound(authority.ca) }).pager_a;
    expect(await askNames?.(to, only(sim).id)).toEqual([messageOf().key, ...grouped]);
  });

  it('refuses a form that cannot work', () => {
    const { pager_a: provider } = createProviders({ outbound: openOutbound(authority.ca) });
    const parse = (url: string, credential: string) => () => provider.parse({ url, credential, settings: {} });
    expect(provider.parse({ url: '', credential: SECRETS.routing, settings: {} }).url).toBe('https://events.pagerduty.com');
    expect(parse('http://events.example', SECRETS.routing)).toThrow('https://');
    expect(parse('https://events.example?nonsense=1', SECRETS.routing)).toThrow('nonsense');
    expect(parse('', 'short')).toThrow('32');
    expect(parse('', '')).toThrow('Integration key');
  });
});

async function opsgenie(more: object = {}) {
  const sim = await startAlerts({ tls: authority.leaf, host: HOST, apiKey: SECRETS.genie, ...more });
  closing.push(() => sim.close());
  let ms = 0;
  const provider = createProviders({ outbound: openOutbound(authority.ca), now: () => Date.now() + ms }).pager_b;
  const to = provider.parse({ url: sim.origin, credential: SECRETS.genie, settings: {} });
  const pass = (more: number): void => {
    ms += more;
  };
  return { sim, provider, to, pass };
}

const requestOf = (outcome: { is: string; request?: string | null }): string => {
  if (outcome.is !== 'accepted' || !outcome.request) throw new Error(JSON.stringify(outcome));
  return outcome.request;
};

describe('Opsgenie', () => {
  it('is asked until what it accepted is done', async () => {
    let ms = Date.now();
    const { provider, to } = await opsgenie({ lagMs: 5000, now: () => ms });
    const request = requestOf(await provider.open(to, messageOf()));
    expect(await provider.confirm(to, request)).toMatchObject({ is: 'pending' });
    ms += 6000;
    expect(await provider.confirm(to, request)).toMatchObject({ is: 'confirmed', reference: { id: messageOf().key } });
  });

  it('tells a close that overtook its create from one of an alert that people closed, by time', async () => {
    const { sim, provider, to, pass } = await opsgenie();
    const early = requestOf(await provider.resolve(to, messageOf({ at: new Date() }), null));
    expect(await provider.confirm(to, early)).toMatchObject({ is: 'failed', isFinal: false });
    await provider.open(to, messageOf());
    await sim.act(only(sim).id, 'resolve');
    const late = requestOf(await provider.resolve(to, messageOf({ at: new Date() }), null));
    pass(180_000);
    expect(await provider.confirm(to, late)).toMatchObject({ is: 'confirmed' });
  });

  it('waits as long as it says when it is asked too often', async () => {
    const { provider, to } = await opsgenie({ perMinute: 1 });
    await provider.open(to, messageOf());
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'retry', afterMs: 2000 });
  });

  it('breaks the connector where the key is of another region', async () => {
    const { provider, to } = await opsgenie();
    const wrong = { ...to, credential: 'of-another-region' };
    for (const outcome of [await provider.check(wrong), await provider.open(wrong, messageOf())])
      expect(outcome).toMatchObject({ is: 'broken_credential' });
  });
});
