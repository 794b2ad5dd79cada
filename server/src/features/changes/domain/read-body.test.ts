import { githubEventOf, listDeliveries, readDelivery } from '@svc/testkit/forge-deliveries';
import { describe, expect, it, test } from 'vitest';
import { anchorOf } from './anchor.ts';
import { readBody } from './read-body.ts';

const NOW = Date.UTC(2026, 5, 2, 12);
const tools = { nowMs: NOW, hash: (text: string) => `h${text.length}` };
const JSON_TYPE = 'application/json';
const github = (name: string, body = readDelivery('github', name)) =>
  readBody({ provider: 'forge_a', body, contentType: JSON_TYPE, event: githubEventOf(name) }, tools);
const gitlab = (name: string) =>
  readBody({ provider: 'forge_b', body: readDelivery('gitlab', name), contentType: JSON_TYPE, event: '' }, tools);
const generic = (body: unknown) =>
  readBody({ provider: 'generic', body: Buffer.from(JSON.stringify(body)), contentType: JSON_TYPE, event: '' }, tools);

describe('GitHub, as it is sent', () => {
  it('a push is one commit, at the time of the push, by whoever pushed', () => {
    expect(github('push.00.json')).toMatchObject({
      outcome: 'stored',
      changes: [
        {
          ...{ kind: 'commit', source: 'github', title: 'Adding a .gitignore file', actor: 'Codertocat', target: null },
          ...{ ref: '6113728f27ae82c7b1a177c8d03f9e96e0adf246', repository: 'Codertocat/Hello-World' },
          url: 'https://github.com/Codertocat/Hello-World/commit/6113728f27ae82c7b1a177c8d03f9e96e0adf246',
        },
      ],
    });
  });

  it('a branch or tag that is gone is no commit', () => {
    expect(github('push.03.json')).toMatchObject({ outcome: 'no_commit', changes: [] });
  });

  it('a deployment and its statuses are one change', () => {
    const [made] = github('deployment.created.03.json').changes;
    const [status] = github('deployment_status.created.03.json').changes;
    expect(made?.key).toBe(status?.key);
    expect(made).toMatchObject({
      kind: 'deploy',
      title: 'Hello-World master (f95f852) to production',
      state: null,
      environment: 'production',
    });
    expect(status).toMatchObject({
      state: 'succeeded',
      state_at: '2019-05-15T15:20:55.000Z',
      occurred_at: '2019-05-15T15:20:53.000Z',
    });
  });

  it('an environment’s URL is its target, and an empty one is none', () => {
    const body = JSON.parse(readDelivery('github', 'deployment_status.created.03.json').toString());
    const withUrl = (url: unknown) =>
      github(
        'deployment_status.created.03.json',
        Buffer.from(JSON.stringify({ ...body, deployment_status: { ...body.deployment_status, environment_url: url } })),
      ).changes[0];
    expect(anchorOf({ target: withUrl('https://Shop.example/')?.target ?? null, prefix: null }).target).toBe('shop.example');
    for (const url of ['', null, 7, 'ftp://shop.example', 'javascript:alert(1)']) expect(withUrl(url)?.target).toBeNull();
  });

  it('an unknown state is no state, and no fault', () => {
    const body = JSON.parse(readDelivery('github', 'deployment_status.created.03.json').toString());
    body.deployment_status.state = 'on_holiday';
    expect(github('deployment_status.created.03.json', Buffer.from(JSON.stringify(body)))).toMatchObject({
      outcome: 'stored',
      changes: [{ state: null, attributes: { status: 'on_holiday' } }],
    });
  });

  it('the form that carries the JSON is read as well', () => {
    const payload = readDelivery('github', 'push.00.json').toString();
    const body = Buffer.from(new URLSearchParams({ payload }).toString());
    const read = readBody({ provider: 'forge_a', body, contentType: 'application/x-www-form-urlencoded', event: 'push' }, tools);
    expect(read).toEqual(github('push.00.json'));
  });

  it('says of what it does not use what it is', () => {
    expect(github('ping.00.json')).toMatchObject({ event: 'ping', outcome: 'ping', changes: [] });
    expect(github('release.published.00.json')).toMatchObject({ event: 'release', outcome: 'not_wanted', changes: [] });
  });

  it.each(listDeliveries('github'))('%s is read', (name) => {
    const { outcome, changes } = github(name);
    expect(['stored', 'ping', 'not_wanted', 'no_commit']).toContain(outcome);
    for (const one of changes) expect(one.title.length).toBeGreaterThan(3);
    if (/^(push\.00|deployment)/.test(name)) expect(changes).toHaveLength(1);
  });
});

describe('GitLab, as it is sent', () => {
  it('a push is one commit, at the time of its newest commit', () => {
    expect(gitlab('push.json')).toMatchObject({
      event: 'push',
      changes: [
        {
          ...{
            kind: 'commit',
            source: 'gitlab',
            title: 'fixed readme',
            actor: 'jsmith',
            occurred_at: '2012-01-03T21:36:29.000Z',
          },
          ...{ repository: 'mike/diaspora', paths: ['CHANGELOG', 'app/controller/application.rb'] },
        },
      ],
    });
  });

  it('reads the times of deployments, their external URL and the whole commit', () => {
    expect(gitlab('deployment.json').changes).toMatchObject([
      {
        ...{ kind: 'deploy', occurred_at: '2021-04-28T19:50:00.000Z', state: 'succeeded', environment: 'staging' },
        ...{ target: 'https://staging.example.com/', ref: '279484c09fbe69ededfced8c1bb6e6d24616b468', actor: 'user1' },
      },
    ]);
    expect(gitlab('deployment.2025.failed.json').changes).toMatchObject([{ state: 'failed', target: null }]);
  });

  it('a deleted branch is no commit', () => {
    expect(gitlab('branch-delete.scm.json')).toMatchObject({ outcome: 'no_commit' });
    expect(gitlab('tag-delete.scm.json')).toMatchObject({ outcome: 'no_commit' });
  });

  it.each(listDeliveries('gitlab'))('%s is read', (name) => {
    const { outcome, changes } = gitlab(name);
    expect(['stored', 'not_wanted', 'no_commit']).toContain(outcome);
    expect(changes).toHaveLength(outcome === 'stored' ? 1 : 0);
  });
});

const ENTRY = { title: 'Route moved', occurred_at: '2026-06-02T11:50:00Z' };

describe('programs of one’s own', () => {
  it('one object, an array, or events', () => {
    for (const body of [ENTRY, [ENTRY], { events: [ENTRY] }])
      expect(generic(body)).toMatchObject({ outcome: 'stored', taken: 1 });
  });

  it('drops what is malformed, says why, and keeps the rest', () => {
    const entries = [
      ENTRY,
      7,
      { ...ENTRY, title: ' ' },
      { title: 'x' },
      { ...ENTRY, occurred_at: 'yesterday' },
      { ...ENTRY, occurred_at: '2026-06-02 11:50' },
      { ...ENTRY, occurred_at: '2026-06-02T13:00:01Z' },
      { ...ENTRY, prefix: '10.0.0.0/33' },
      { ...ENTRY, id: 'x'.repeat(201) },
    ];
    expect(generic(entries)).toMatchObject({
      outcome: 'partly_stored',
      taken: 1,
      dropped: [
        { reason: 'not_an_object', count: 1 },
        { reason: 'no_title', count: 1 },
        { reason: 'no_occurred_at', count: 1 },
        { reason: 'bad_occurred_at', count: 2 },
        { reason: 'in_the_future', count: 1 },
        { reason: 'bad_prefix', count: 1 },
        { reason: 'bad_id', count: 1 },
      ],
    });
    expect(generic([{}, 7])).toMatchObject({ outcome: 'all_malformed', changes: [] });
  });

  it('an unknown kind is other, only http and https are links, and a tenant is nobody’s to say', () => {
    const [one] = generic({ ...ENTRY, kind: 'party', url: 'javascript:alert(1)', tenant: 'other', tenant_id: 'other' }).changes;
    expect(one).toMatchObject({ kind: 'other', url: null });
    expect(JSON.stringify(one)).not.toContain('other"}');
    expect(one).not.toHaveProperty('tenant_id');
    expect(generic({ ...ENTRY, url: 'https://ci.example/7' }).changes[0]?.url).toBe('https://ci.example/7');
    expect(generic({ ...ENTRY, url: 'https://user:secret@ci.example/7' }).changes[0]?.url).toBeNull();
  });

  it('what happened long ago is kept', () => {
    expect(generic({ ...ENTRY, occurred_at: '1999-12-31T23:59:59+02:00' }).changes[0]?.occurred_at).toBe(
      '1999-12-31T21:59:59.000Z',
    );
    expect(generic({ ...ENTRY, occurred_at: '1970-01-01T00:00:00Z' })).toMatchObject({
      dropped: [{ reason: 'bad_occurred_at' }],
    });
  });

  it('cuts what is too long, and takes out what breaks a line or a database', () => {
    const [one] = generic({
      ...ENTRY,
      title: `a\u0000b\u202e${'x'.repeat(400)}`,
      summary: 'y'.repeat(5000),
      attributes: { n: 7, long: 'z'.repeat(2000) },
    }).changes;
    expect(one?.title).toMatch(/^abx+…$/);
    expect(one?.title).toHaveLength(300);
    expect(one?.summary).toHaveLength(4000);
    expect(one?.attributes).toMatchObject({ n: '7', long: expect.stringMatching(/^z{999}…$/) });
  });

  it('ten thousand entries are taken, and no more', () => {
    const entries = Array.from({ length: 10_001 }, (_, n) => ({ ...ENTRY, id: `e${n}` }));
    expect(generic(entries)).toMatchObject({ taken: 10_000, dropped: [{ reason: 'too_many', count: 1 }] });
  });
});

test('whatever was signed is read without a throw', () => {
  for (const text of [
    '',
    '{',
    'null',
    '7',
    '"x"',
    '[]',
    '{}',
    '{"events":[]}',
    '{"events":7}',
    '\ud800',
    '[[[[]]]]',
    '{"__proto__":{"title":"x"}}',
  ])
    for (const provider of ['generic', 'forge_a', 'forge_b'] as const)
      for (const contentType of [JSON_TYPE, 'application/x-www-form-urlencoded', ''])
        expect(readBody({ provider, body: Buffer.from(text), contentType, event: 'push' }, tools).changes).toEqual([]);
});
