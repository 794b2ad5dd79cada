import { startSlack } from '@svc/testkit/providers/slack';
import { startTeams } from '@svc/testkit/providers/teams';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome, Reference } from '#kernel';
import { createProviders } from '../index.ts';
import { type Authority, HOST, makeAuthority, messageOf, only, openOutbound, SECRETS } from '../test-providers.ts';

let authority: Authority;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  authority = await makeAuthority();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const referenceOf = (outcome: Outcome): Reference => {
  if (outcome.is !== 'sent' || !outcome.reference) throw new Error(JSON.stringify(outcome));
  return outcome.reference;
};

async function slack(more: object = {}, settings: Record<string, string> = {}) {
  const sim = await startSlack({
    tls: authority.leaf,
    host: HOST,
    botToken: SECRETS.bot,
    channel: { id: 'C0123456789', name: 'network' },
    ...more,
  });
  closing.push(async () => {
    expect(sim.breaches).toEqual([]);
    await sim.close();
  });
  const provider = createProviders({ outbound: openOutbound(authority.ca) }).chat_a;
  const bot = provider.parse({
    url: `${sim.origin}/api`,
    credential: SECRETS.bot,
    settings: { channel: 'C0123456789', ...settings },
  });
  return { sim, provider, bot, hook: (url: string) => provider.parse({ url, credential: '', settings: {} }) };
}

describe('Slack with a bot token', () => {
  it('answers in the thread and shows the state in the post itself', async () => {
    const { sim, provider, bot } = await slack();
    const reference = referenceOf(await provider.open(bot, messageOf()));
    await provider.update(bot, messageOf({ words: 'Two more signals.' }), reference);
    const resolved = await provider.resolve(bot, messageOf({ words: 'Resolved by Ada.' }), reference);
    expect(referenceOf(resolved)).toEqual(reference);
    expect(only(sim)).toMatchObject({
      state: 'resolved',
      lines: [expect.stringContaining('Two more'), expect.stringContaining('Ada')],
    });
  });

  it('tells what becomes of those that share a post in its thread, by name, and leaves the post as it is', async () => {
    const { sim, provider, bot } = await slack();
    const other = { ...messageOf().incident, id: '019ac001-0000-7000-8000-000000000095', number: 95, title: 'cart is slow' };
    const second = messageOf({ key: `svc-${other.id}`, words: 'By Ada.' }, other);
    const reference = referenceOf(await provider.open(bot, messageOf({ together: [other] })));
    const before = sim.objects()[0]?.text;
    expect(referenceOf(await provider.acknowledge(bot, second, reference))).toEqual(reference);
    await provider.resolve(bot, messageOf({ words: 'Resolved by Ada.' }), reference);
    const again = await provider.acknowledge(bot, { ...second, isPossibleRepeat: true }, reference);
    expect(again).toMatchObject({ is: 'sent', said: 'It stood in the thread already.' });
    expect(sim.objects()).toMatchObject([
      { key: messageOf().key, state: 'resolved', text: before, lines: [expect.stringContaining('does not answer')] },
      { key: second.key, state: 'acknowledged', text: before, lines: [expect.stringContaining('cart is slow')] },
    ]);
    expect(await provider.find(bot, second, Date.now())).toEqual({ is: 'found', reference });
  });

  it('says that a part may have been taken where the post changed and the reply did not come through', async () => {
    const { sim, provider, bot } = await slack();
    const reference = referenceOf(await provider.open(bot, messageOf()));
    sim.faults.next(undefined, { kind: 'answer', status: 429, headers: { 'retry-after': '3' } });
    expect(await provider.resolve(bot, messageOf(), reference)).toMatchObject({ is: 'retry', afterMs: 3000, isBegun: true });
    expect(only(sim).state).toBe('resolved');
    sim.faults.next({ kind: 'done_then', status: 502 });
    expect(await provider.reopen(bot, messageOf(), reference)).toMatchObject({ is: 'retry', isBegun: true });
    expect(only(sim).state).toBe('open');
  });

  it('finds a post by its metadata on any page, that of its generation alone', async () => {
    const { provider, bot } = await slack({ pageSize: 2, perMinute: 1000 });
    const reference = referenceOf(await provider.open(bot, messageOf()));
    for (let i = 0; i < 5; i += 1) await provider.open(bot, messageOf({ key: `svc-other-${i}` }));
    expect(await provider.find(bot, messageOf(), Date.now())).toEqual({ is: 'found', reference });
    expect(await provider.find(bot, messageOf({ generation: 2, former: reference }), 0)).toEqual({ is: 'absent' });
  });

  it('does not repeat a reply that stands in the thread already', async () => {
    const { sim, provider, bot } = await slack();
    const reference = referenceOf(await provider.open(bot, messageOf()));
    sim.faults.next(undefined, { kind: 'cut' });
    expect(await provider.acknowledge(bot, messageOf({ words: 'By Ada.' }), reference)).toMatchObject({ is: 'ambiguous' });
    const again = await provider.acknowledge(bot, messageOf({ words: 'By Ada.', isPossibleRepeat: true }), reference);
    expect(again).toMatchObject({ is: 'sent', said: 'It stood in the thread already.' });
    expect(only(sim).lines).toHaveLength(1);
  });

  it.each([
    ['invalid_auth', 'broken_credential'],
    ['token_revoked', 'broken_credential'],
    ['missing_scope', 'broken_credential'],
    ['channel_not_found', 'final'],
    ['is_archived', 'final'],
    ['ratelimited', 'retry'],
    ['internal_error', 'ambiguous'],
    ['a_word_of_next_year', 'final'],
  ])('says %s with a 200, which is %s', async (error, is) => {
    const { sim, provider, bot } = await slack();
    sim.faults.next({ kind: 'answer', status: 200, body: { ok: false, error } });
    expect(await provider.open(bot, messageOf())).toMatchObject({ is, said: error });
  });

  it('tells before anything is sent whether it may read the channel', async () => {
    const { sim, provider, bot } = await slack({ scopes: ['post'] });
    expect(await provider.check(bot)).toMatchObject({ is: 'broken_credential', said: 'missing_scope' });
    const without = { ...bot, settings: { ...bot.settings, history: 'no' } };
    expect(await provider.check(without)).toMatchObject({ is: 'sent' });
    expect(provider.capabilities(without).canBeFound).toBe(false);
    expect(sim.objects()).toEqual([]);
  });

  it('waits as long as Retry-After says', async () => {
    const { provider, bot } = await slack({ perMinute: 1 });
    await provider.open(bot, messageOf());
    const outcome = await provider.open(bot, messageOf());
    expect(outcome).toMatchObject({ is: 'retry', said: expect.stringContaining('rate_limited') });
    expect(outcome.is === 'retry' && outcome.afterMs).toBeGreaterThan(50_000);
  });

  it('takes a post that people deleted as gone', async () => {
    const { sim, provider, bot } = await slack();
    const reference = referenceOf(await provider.open(bot, messageOf()));
    sim.faults.next({ kind: 'answer', status: 200, body: { ok: false, error: 'message_not_found' } });
    expect(await provider.resolve(bot, messageOf(), reference)).toMatchObject({ is: 'gone' });
  });
});

describe('a webhook of Slack', () => {
  it('posts, says that it resolved, and shows its address nowhere', async () => {
    const { sim, provider, hook } = await slack();
    const to = hook(`${sim.origin}${sim.webhookPath}`);
    expect(to).toMatchObject({ url: sim.origin, credential: `${sim.origin}${sim.webhookPath}` });
    expect(await provider.check(to)).toMatchObject({ is: 'sent' });
    expect(sim.objects()).toEqual([]);
    expect(await provider.open(to, messageOf({ isPossibleRepeat: true }))).toEqual({ is: 'sent', reference: null, said: 'ok' });
    expect(only(sim).text).toContain('Possible repeat');
    sim.faults.next({ kind: 'answer', status: 400, body: `invalid_payload for ${sim.webhookPath}` });
    expect(JSON.stringify(await provider.open(to, messageOf()))).not.toContain('simulated');
  });

  it('breaks the connector where it was removed', async () => {
    const { sim, provider, hook } = await slack();
    const to = hook(`${sim.origin}/services/T1/B1/removed`);
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'broken_credential', said: '404 no_service' });
    expect(await provider.check(to)).toMatchObject({ is: 'broken_credential' });
  });
});

describe('Teams', () => {
  async function teams(more: object = {}) {
    const sim = await startTeams({ tls: authority.leaf, host: HOST, sig: SECRETS.sig, ...more });
    closing.push(async () => {
      expect(sim.breaches).toEqual([]);
      await sim.close();
    });
    const provider = createProviders({ outbound: openOutbound(authority.ca) }).chat_b;
    return { sim, provider, to: provider.parse({ url: sim.url, credential: '', settings: {} }) };
  }

  it('keeps the whole query of its address and shows the host alone', async () => {
    const { sim, provider, to } = await teams();
    expect(to).toEqual({ url: sim.origin, credential: sim.url, settings: {} });
    expect(await provider.open(to, messageOf())).toEqual({ is: 'accepted', reference: null, request: null, said: '202' });
    const cut = { ...to, credential: sim.url.replace(/sig=.*/, 'sig=PlantedWrongSignature') };
    const refused = await provider.open(cut, messageOf());
    expect(refused).toMatchObject({ is: 'broken_credential' });
    expect(JSON.stringify(refused)).not.toContain('PlantedWrong');
    expect(await provider.open({ ...to, credential: sim.url.replace(/api-version=1&/, '') }, messageOf())).toMatchObject({
      is: 'final',
      said: expect.stringContaining('api-version'),
    });
  });

  it('breaks the connector where the flow was switched off: its owner has left', async () => {
    const { sim, provider, to } = await teams();
    const error = {
      code: 'WorkflowTriggerIsNotEnabled',
      message: "Trigger 'manual' with state 'Disabled': trigger is not enabled.",
    };
    sim.faults.next({ kind: 'answer', status: 400, body: { error } });
    expect(await provider.open(to, messageOf())).toMatchObject({
      is: 'broken_credential',
      said: expect.stringContaining('400 Trigger'),
    });
  });

  it('waits where it is asked too often', async () => {
    const { provider, to } = await teams({ limits: [{ most: 1, ms: 3_600_000 }] });
    await provider.open(to, messageOf());
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'retry', afterMs: expect.any(Number) });
  });

  it('refuses an address that Microsoft has switched off', async () => {
    const { provider } = await teams();
    const parse = (credential: string) => () => provider.parse({ url: '', credential, settings: {} });
    expect(parse('https://acme.webhook.office.com/webhookb2/x')).toThrow('switched off');
    expect(parse('http://example.com/x?sig=1')).toThrow('https://');
    expect(parse('')).toThrow('needed');
  });
});
