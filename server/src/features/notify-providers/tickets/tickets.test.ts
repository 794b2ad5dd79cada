import { startJira } from '@svc/testkit/providers/jira';
import { type JiraProject, OWN_WORKFLOW } from '@svc/testkit/providers/jira-issues';
import { startTableApi } from '@svc/testkit/providers/table-api';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, Outcome } from '#kernel';
import { createProviders } from '../index.ts';
import { type Authority, HOST, makeAuthority, messageOf, only, openOutbound } from '../test-providers.ts';

let authority: Authority;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  authority = await makeAuthority();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const referenceOf = (outcome: Outcome) => {
  if (outcome.is !== 'sent' || !outcome.reference) throw new Error(JSON.stringify(outcome));
  return outcome.reference;
};
const TOKEN = 'ATATTplantedtoken';
const providers = () => createProviders({ outbound: openOutbound(authority.ca) });

async function jira(project: JiraProject, settings: Record<string, string> = {}, more: object = {}) {
  const sim = await startJira({ tls: authority.leaf, host: HOST, credential: `bot@example.com:${TOKEN}`, project, ...more });
  closing.push(async () => {
    expect(sim.breaches).toEqual([]);
    await sim.close();
  });
  const provider = providers().ticket_b;
  const base = 'basePath' in more ? more.basePath : '';
  const to = provider.parse({
    url: `${sim.origin}${base}`,
    credential: `bot@example.com:${TOKEN}`,
    settings: { project: project.key, ...settings },
  });
  return { sim, provider, to };
}

describe('Jira', () => {
  it('makes the issue once without the fields that its screen does not have, and finds it by its description', async () => {
    const { sim, provider, to } = await jira({ key: 'OPS', screen: [] }, { priority: 'High' });
    const opened = await provider.open(to, messageOf());
    expect(opened).toMatchObject({ is: 'sent', said: expect.stringContaining('without labels, priority') });
    expect(only(sim)).toMatchObject({ key: messageOf().key });
    expect(await provider.find(to, messageOf(), 0)).toEqual({ is: 'found', reference: referenceOf(opened) });
  });

  it('says in its words what it refuses for good', async () => {
    const { sim, provider, to } = await jira({ key: 'OPS' });
    const other = { ...to, settings: { ...to.settings, project: 'OTHER' } };
    expect(await provider.open(other, messageOf())).toEqual({ is: 'final', said: '400 project: valid project is required' });
    expect(await provider.check(other)).toMatchObject({ is: 'broken_credential', said: expect.stringContaining("key 'OTHER'") });
    expect(sim.objects()).toEqual([]);
  });

  it('is not found while the search lags, and is not taken as absent', async () => {
    const { provider, to } = await jira({ key: 'OPS' }, {}, { indexLagMs: 30_000 });
    await provider.open(to, messageOf());
    expect(await provider.find(to, messageOf(), Date.now())).toMatchObject({ is: 'unknown' });
  });

  it('searches a Data Center by the old address, below its context path, with a personal token', async () => {
    const { sim, provider, to } = await jira(
      { key: 'OPS' },
      {},
      { isCloud: false, basePath: '/jira', credential: 'personal-access-token' },
    );
    const pat: Connection = { ...to, credential: 'personal-access-token' };
    const opened = await provider.open(pat, messageOf());
    expect(await provider.find(pat, messageOf(), 0)).toMatchObject({ is: 'found' });
    expect(referenceOf(opened).url).toBe(`${sim.origin}/jira/browse/OPS-1`);
  });

  it('resolves in a workflow of any names by the category of its status', async () => {
    const { sim, provider, to } = await jira({ key: 'OPS', edges: OWN_WORKFLOW }, { resolve_transition: 'auto' });
    const reference = referenceOf(await provider.open(to, messageOf()));
    expect(await provider.resolve(to, messageOf(), reference)).toMatchObject({ is: 'sent' });
    expect(only(sim).state).toBe('resolved');
    expect(await provider.reopen(to, messageOf(), reference)).toMatchObject({ is: 'sent' });
    expect(only(sim).state).toBe('acknowledged');
  });

  it('does not move an issue elsewhere by an id that is done in other workflows', async () => {
    const { sim, provider, to } = await jira({ key: 'OPS', edges: OWN_WORKFLOW });
    const reference = referenceOf(await provider.open(to, messageOf()));
    expect(await provider.resolve(to, messageOf(), reference)).toMatchObject({
      is: 'final',
      said: expect.stringContaining('not valid for the current state'),
    });
    await sim.act(reference.id, 'acknowledge');
    expect(await provider.resolve(to, messageOf(), reference)).toMatchObject({
      is: 'final',
      said: expect.stringContaining('which is not done'),
    });
    expect(only(sim).state).toBe('acknowledged');
  });

  it('gives a resolution where the screen demands one, and leaves it out where it does not take it', async () => {
    const demanding = await jira({ key: 'OPS', demandsResolution: true }, { resolution: 'Done' });
    const one = referenceOf(await demanding.provider.open(demanding.to, messageOf()));
    expect(await demanding.provider.resolve(demanding.to, messageOf(), one)).toMatchObject({ is: 'sent' });
    const without = { ...demanding.to, settings: { ...demanding.to.settings, resolution: '' } };
    await demanding.provider.reopen(without, messageOf(), one);
    expect(await demanding.provider.resolve(without, messageOf(), one)).toEqual({
      is: 'final',
      said: '400 resolution: Resolution is required.',
    });
    const easy = await jira({ key: 'OPS' }, { resolution: 'Fixed' });
    const two = referenceOf(await easy.provider.open(easy.to, messageOf()));
    expect(await easy.provider.resolve(easy.to, messageOf(), two)).toMatchObject({ is: 'sent' });
  });

  it('takes a deleted issue, and one moved out of sight, as gone', async () => {
    const { sim, provider, to } = await jira({ key: 'OPS' });
    const reference = referenceOf(await provider.open(to, messageOf()));
    sim.faults.next({
      kind: 'answer',
      status: 403,
      body: { errorMessages: ['You do not have the permission to see the specified issue.'] },
    });
    expect(await provider.update(to, messageOf(), reference)).toMatchObject({ is: 'gone' });
    sim.faults.next({ kind: 'answer', status: 403, headers: { 'x-seraph-loginreason': 'AUTHENTICATION_DENIED' }, body: {} });
    expect(await provider.update(to, messageOf(), reference)).toMatchObject({ is: 'broken_credential' });
    await sim.act(reference.id, 'delete');
    for (const verb of ['update', 'resolve', 'reopen'] as const)
      expect(await provider[verb](to, messageOf(), reference)).toMatchObject({ is: 'gone' });
  });
});

async function serviceNow(settings: Record<string, string> = {}, mayClose = false) {
  const sim = await startTableApi({ tls: authority.leaf, host: HOST, user: 'svc', password: 'planted-password', mayClose });
  closing.push(async () => {
    expect(sim.breaches).toEqual([]);
    await sim.close();
  });
  const provider = providers().ticket_a;
  return { sim, provider, to: provider.parse({ url: sim.origin, credential: 'svc:planted-password', settings }) };
}

describe('ServiceNow', () => {
  it('takes a refusal of a data policy as the record’s, not the account’s', async () => {
    const { provider, to } = await serviceNow();
    const reference = referenceOf(await provider.open(to, messageOf()));
    const without = { ...to, settings: { ...to.settings, close_code: '' } };
    expect(await provider.resolve(without, messageOf(), reference)).toMatchObject({
      is: 'final',
      said: expect.stringContaining('Data Policy Exception: close_code'),
    });
    expect(await provider.resolve(to, messageOf(), reference)).toMatchObject({ is: 'sent' });
  });

  it('takes what a business rule aborts as the record’s too, and an ACL as the account’s', async () => {
    const { sim, provider, to } = await serviceNow();
    const refuse = (message: string) =>
      sim.faults.next({ kind: 'answer', status: 403, body: { error: { message, detail: '' }, status: 'failure' } });
    refuse("Operation against file 'incident' was aborted by Business Rule 'Demand a CI^0a1b'");
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'final', said: expect.stringContaining('Demand a CI') });
    refuse('Insert Failed due to security constraints');
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'broken_credential' });
  });

  it('opens a new incident where the former is closed for good', async () => {
    const { sim, provider, to } = await serviceNow({}, true);
    const reference = referenceOf(await provider.open(to, messageOf()));
    await provider.resolve(to, messageOf(), reference);
    sim.faults.next({
      kind: 'answer',
      status: 200,
      body: { result: { sys_id: reference.id, number: 'INC0010001', state: '7' } },
    });
    expect(await provider.reopen(to, messageOf(), reference)).toMatchObject({ is: 'final' });
    const next = messageOf({ generation: 2, former: reference });
    const opened = referenceOf(await provider.open(to, next));
    expect(await provider.find(to, next, 0)).toEqual({ is: 'found', reference: opened });
    expect(sim.objects()[1]?.text).toContain(`Before: ${reference.label}`);
  });

  it('does not take another 404 as the record’s', async () => {
    const { sim, provider, to } = await serviceNow();
    const reference = referenceOf(await provider.open(to, messageOf()));
    sim.faults.next({ kind: 'answer', status: 404, body: 'no such host here' });
    expect(await provider.resolve(to, messageOf(), reference)).toMatchObject({ is: 'final' });
    await sim.act(reference.id, 'delete');
    expect(await provider.resolve(to, messageOf(), reference)).toMatchObject({ is: 'gone' });
  });
});
