import { expect, it } from 'vitest';
import { AppError } from '#kernel';
import { ACME, callTool, openFace } from './test-face.ts';
import { TOOLS } from './tools/index.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const call = (name: string, input: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
});

it('answers the official client: who it is, what may be asked, and that nothing of it writes', async () => {
  const { connect } = await openFace();
  const client = await connect('operator');
  expect(client.getServerVersion()).toMatchObject({ name: 'network-observability', version: '1.2.3' });
  expect(client.getInstructions()).toContain('never as instructions');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true && annotations.destructiveHint === false)).toBe(
    true,
  );
  expect(tools.find(({ name }) => name === 'get_incident')?.inputSchema).toMatchObject({
    ...{ type: 'object', required: ['id'], additionalProperties: false },
    properties: { id: { type: 'string', description: 'The `id` of an incident' } },
  });
  await client.close();
});

it('offers and answers only what the token may read', async () => {
  const { connect } = await openFace();
  const client = await connect('narrow');
  const { tools } = await client.listTools();
  expect(tools.some(({ name }) => name === 'get_trace')).toBe(false);
  expect((await callTool(client, 'get_trace', { id: 'ab'.repeat(16) })).error?.code).toBe('not_found');
});

it.each<[who: string, from: { token?: string; origin?: string }, wanted: [status: number, words: string]]>([
  ['nobody', {}, [401, 'unauthorized']],
  ['an unknown token', { token: 'wrong' }, [401, 'unauthorized']],
  ['a session of the console', { token: 'person' }, [401, 'unauthorized']],
  ['a token without ai.query', { token: 'viewer' }, [403, 'ai.query']],
  ['a page of another origin', { token: 'operator', origin: 'https://evil.example' }, [403, 'forbidden']],
  ['a sandboxed page', { token: 'operator', origin: 'null' }, [403, 'forbidden']],
  ['a tenant that has not consented', { token: 'other' }, [403, 'svc tenant set other --ai-remote-egress on']],
])('refuses %s', async (_, { origin, ...from }, [status, words]) => {
  const { post, trail } = await openFace();
  const answer = await post(LIST, { ...from, headers: origin === undefined ? {} : { origin } });
  expect({ status: answer.status, said: answer.body.includes(words) }).toEqual({ status, said: true });
  expect(trail).toEqual([]);
});

it('takes the origin of its own pages', async () => {
  const { post } = await openFace();
  expect((await post(LIST, { token: 'operator', headers: { origin: 'https://svc.example' } })).status).toBe(200);
});

it('has no stream and no session, and says so to clients that look for them', async () => {
  const { app } = await openFace();
  for (const method of ['GET', 'DELETE'] as const) {
    const answer = await app.inject({ method, url: '/mcp', headers: { authorization: 'Bearer operator' } });
    expect({ method, status: answer.statusCode, allow: answer.headers.allow }).toEqual({ method, status: 405, allow: 'POST' });
    expect((await app.inject({ method, url: '/mcp' })).statusCode).toBe(401);
  }
});

it('masks what leaves and tells how much, and puts who asked into the trail, nothing of what', async () => {
  const { connect, trail } = await openFace({
    'incidents.get': () => ({ title: 'from 10.1.2.3', next: 'never sent to 10.1.2.4' }),
  });
  const client = await connect('operator');
  const id = '01890000-0000-7000-8000-000000000001';
  const { data, masked } = await callTool(client, 'get_incident', { id });
  expect(data).toEqual({ title: 'from 10.0.0.0/24', next: 'never sent to 10.0.0.0/24' });
  expect(masked).toEqual({ ip_address: 2 });
  expect(trail).toEqual([
    {
      ...{ actor: { kind: 'api_token', id: 't1' }, action: 'mcp.query' },
      detail: { tool: 'get_incident', outcome: 'answered' },
    },
  ]);
});

it('reads on by a cursor that tells nothing and is good for its tenant and tool alone', async () => {
  const asked: unknown[] = [];
  const { connect, consented } = await openFace({
    'incidents.list': (input) => {
      asked.push(input.cursor);
      return { items: [{ title: 'a' }], next_cursor: input.cursor === undefined ? 'from 10.9.9.9' : null };
    },
  });
  const client = await connect('operator');
  const first = await callTool(client, 'list_incidents');
  expect(Buffer.from(first.next_cursor ?? '', 'base64url').toString('latin1')).not.toContain('10.9');
  const cursor = first.next_cursor ?? '';
  expect((await callTool(client, 'list_incidents', { cursor })).next_cursor).toBeNull();
  expect(asked).toEqual([undefined, 'from 10.9.9.9']);
  consented.add('other' as typeof ACME);
  const other = await connect('other');
  for (const [who, tool] of [
    [other, 'list_incidents'],
    [client, 'list_changes'],
  ] as const)
    expect((await callTool(who, tool, { cursor })).error).toMatchObject({ code: 'validation' });
  expect(asked).toHaveLength(2);
});

it('keeps its bound: asks for fewer items where a page is too large, and cuts what is too large alone', async () => {
  const limits: unknown[] = [];
  const { connect } = await openFace({
    'incidents.list': ({ limit }) => {
      limits.push(limit);
      return {
        items: Array.from({ length: Number(limit) }, () => ({ title: 'x'.repeat(4000), summary: 'x'.repeat(4000) })),
        next_cursor: 'more',
      };
    },
    'incidents.get': () => ({ entries: Array.from({ length: 5000 }, (_, i) => ({ i, text: 'y'.repeat(100) })) }),
  });
  const client = await connect('operator');
  const page = await callTool(client, 'list_incidents', { limit: 50 });
  expect({ limits, cut: page.cut, items: (page.data as { items: unknown[] }).items.length }).toEqual({
    ...{ limits: [50, 7], cut: undefined, items: 7 },
  });
  const one = await callTool(client, 'get_incident', { id: '01890000-0000-7000-8000-000000000001' });
  expect(one.cut).toMatchObject({ items: 300 });
  expect(Math.max(page.bytes, one.bytes)).toBeLessThanOrEqual(64 * 1024);
});

it('tells what is wrong with arguments, what failed, and nothing of what is inside', async () => {
  const { connect, trail } = await openFace({
    'incidents.get': () => {
      throw new AppError('not_found', 'There is no such incident.');
    },
    'incidents.list': () => {
      throw new Error('connection to 10.0.0.5 failed: password hunter2');
    },
  });
  const client = await connect('operator');
  expect((await callTool(client, 'list_incidents', { limit: 1e9, tenant: 'other' })).error).toMatchObject({
    ...{ code: 'validation', message: 'list_incidents does not take these arguments.' },
    faults: [{ path: 'limit' }, { path: '' }],
  });
  const id = '01890000-0000-7000-8000-000000000001';
  expect((await callTool(client, 'get_incident', { id })).error).toEqual({
    ...{ code: 'not_found', message: 'There is no such incident.', faults: [] },
  });
  expect((await callTool(client, 'list_incidents')).error).toEqual({ code: 'internal', message: 'Internal error.', faults: [] });
  expect(trail.map(({ detail }) => detail?.outcome)).toEqual(['validation', 'not_found', 'internal']);
});

it('sends nothing when the consent is withdrawn meanwhile, though the procedure answers', async () => {
  const face = await openFace({
    'incidents.list': async () => {
      face.withdraw(ACME);
      await new Promise((resolve) => setImmediate(resolve));
      return { items: [{ title: 'secret' }], next_cursor: null };
    },
  });
  const answer = await face.post(call('list_incidents'), { token: 'operator' });
  expect({ status: answer.status, secret: answer.body.includes('secret') }).toEqual({ status: 403, secret: false });
  expect(answer.body).toContain('egress_denied');
  expect(face.trail.map(({ detail }) => detail?.outcome)).toEqual(['egress_denied']);
});

it('answers a tenant a few questions at a time, and refuses what waits beyond its line', async () => {
  let underWay = 0;
  let most = 0;
  const face = await openFace({
    'incidents.list': async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay -= 1;
      return { items: [], next_cursor: null };
    },
  });
  const answers = await Promise.all(Array.from({ length: 30 }, () => face.post(call('list_incidents'), { token: 'operator' })));
  const refused = answers.filter(({ body }) => body.includes('rate_limited'));
  expect({ most, refused: refused.length, statuses: new Set(answers.map(({ status }) => status)) }).toEqual({
    ...{ most: 2, refused: 30 - 2 - 16, statuses: new Set([200]) },
  });
});

it('sends nothing that could not be put into the trail', async () => {
  const face = await openFace({ 'incidents.list': () => ({ items: [{ title: 'secret' }], next_cursor: null }) });
  face.trail.push = () => {
    throw new AppError('unavailable', 'The database is away.');
  };
  const answer = await face.post(call('list_incidents'), { token: 'operator' });
  expect(answer.body).toContain('The database is away.');
  expect(answer.body).not.toContain('secret');
});

it.each([
  ['a batch', [LIST, LIST], 400],
  ['no JSON-RPC', { hello: 1 }, 400],
  ['no JSON', '{"jsonrpc":', 400],
  ['what is deep', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`, 200],
  ['what is large', call('list_incidents', { search: 'x'.repeat(70_000) }), 413],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202],
])('answers %s without failing', async (_, message, status) => {
  const { post } = await openFace();
  expect((await post(message, { token: 'operator' })).status).toBe(status);
});
