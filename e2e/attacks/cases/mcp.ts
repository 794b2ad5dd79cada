import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'vitest';
import { svcProgram } from '../../faults/built-programs.ts';
import type { Request } from '../harness/ask.ts';
import { attack } from '../harness/attack.ts';
import type { Ground, Side } from '../harness/ground.ts';
import { newMark } from '../harness/victim.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const MAX_TEXT_BYTES = 64 * 1024;

const post = async (ground: Ground, json: unknown, request: Request = {}) => await ground.api('/mcp', { ...request, json });

const setConsent = async (ground: Ground, { tenant }: Side, state: 'on' | 'off'): Promise<void> =>
  void (await ground.svc('tenant', 'set', tenant, '--ai-remote-egress', state));

interface Told {
  status: number;
  text: string;
  isError: boolean;
}

/** A token of its own for each attack: the bound of calls is not what is attacked here. */
async function mint(ground: Ground, side: Side): Promise<string> {
  const json = { name: newMark(), roles: ['operator'] };
  const { body } = await ground.api('/v1/tokens', { token: side.tokens.admin, json });
  return (JSON.parse(body) as { secret: string }).secret;
}

async function callTool(ground: Ground, token: string, [name, input]: readonly [string, object]): Promise<Told> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  const { status, body } = await post(ground, message, { token });
  if (status !== 200) return { status, text: body, isError: true };
  const { result } = JSON.parse(body) as { result?: { content: { text: string }[]; isError?: boolean } };
  return { status, text: result?.content[0]?.text ?? body, isError: result?.isError ?? result === undefined };
}

/** As an assistant on somebody's machine reads: the official client starts `svc mcp`. */
async function askByStdio(ground: Ground, token: string, [name, input]: readonly [string, object]): Promise<string> {
  const { dataDir, http } = ground.installation;
  const where = ['--server', `https://localhost:${http}`, '--ca', join(dataDir, 'tls', 'ca.crt')];
  const client = new Client({ name: 'attack', version: '0' });
  const env = { SVC_TOKEN: token };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [svcProgram, 'mcp', ...where], env }));
  try {
    return JSON.stringify(await client.callTool({ name, arguments: input as Record<string, unknown> }));
  } finally {
    await client.close();
  }
}

const NOBODY = randomUUID();
/** Arguments that each tool takes. */
const FITTING: Readonly<Record<string, object>> = {
  get_incident: { id: NOBODY },
  get_root_cause: { id: NOBODY },
  list_incident_changes: { id: NOBODY },
  get_change: { id: NOBODY },
  get_test: { id: NOBODY },
  list_test_runs: { id: NOBODY },
  get_test_run: { id: NOBODY, result_id: NOBODY },
  get_device: { id: NOBODY },
  list_device_results: { id: NOBODY },
  list_metric_labels: { metric: 'nothing' },
  query_metric: { metric: 'nothing' },
  get_trace: { id: 'ab'.repeat(16) },
  get_span: { id: 'ab'.repeat(16), span: 'ab'.repeat(8) },
};

/** Without consent nobody gets in, and each is told why. */
async function expectDenied(ground: Ground, { tenant, tokens }: Side): Promise<void> {
  const { status, body } = await post(ground, LIST, { token: tokens.operator });
  expect({ status, code: (JSON.parse(body) as { code: string }).code }).toEqual({ status: 403, code: 'egress_denied' });
  expect(body).toContain(`svc tenant set ${tenant} --ai-remote-egress on`);
}

/** With it, who has no token, a session, no `ai.query` or comes from a page elsewhere stays out. */
async function expectClosed(ground: Ground, { tokens, otlpToken, admin }: Side): Promise<void> {
  const own = { origin: `https://localhost:${ground.doors.https.port}`, 'sec-fetch-site': 'same-origin' };
  const token = tokens.operator;
  const tries: readonly [string, Request, number][] = [
    ['nobody', {}, 401],
    ['a wrong token', { token: `${token.slice(0, -4)}abcd` }, 401],
    ['a token for OTLP', { token: otlpToken }, 401],
    ['a session', { headers: { cookie: admin.browser.cookiesFor('/mcp'), ...own } }, 401],
    ['a viewer', { token: tokens.viewer }, 403],
    ['an it_admin', { token: tokens.it_admin }, 403],
    ['an auditor', { token: tokens.auditor }, 403],
    ['a page elsewhere', { token, headers: { origin: 'https://evil.example' } }, 403],
    ['a page without an origin of its own', { token, headers: { origin: 'null' } }, 403],
    ['a name that leads here', { token, headers: { host: 'evil.example', origin: 'https://evil.example' } }, 403],
    ['an operator', { token }, 200],
  ];
  const found = [];
  for (const [who, request] of tries) found.push([who, (await post(ground, LIST, request)).status]);
  expect(found).toEqual(tries.map(([who, , status]) => [who, status]));
  for (const method of ['GET', 'DELETE']) expect((await ground.api('/mcp', { method, token })).status, method).toBe(405);
}

/** Every tool answers its own tenant, of which it knows nothing yet. */
async function expectAnswered(ground: Ground, token: string): Promise<void> {
  const listed = await post(ground, LIST, { token });
  const { tools } = (JSON.parse(listed.body) as { result: { tools: { name: string }[] } }).result;
  expect(tools.length).toBeGreaterThan(15);
  const surprises: string[] = [];
  for (const { name } of tools) {
    const { status, text, isError } = await callTool(ground, token, [name, FITTING[name] ?? {}]);
    const isAnswered = !isError || text.includes('"not_found"');
    if (status !== 200 || !isAnswered || Buffer.byteLength(text) > MAX_TEXT_BYTES)
      surprises.push(`${name}: ${text.slice(0, 300)}`);
  }
  expect(surprises).toEqual([]);
}

/** Something of the victim's, and what a hostile assistant could ask to learn of it or to take it away. */
async function expectWalled(ground: Ground, token: string, { test, mark }: { test: string; mark: string }): Promise<void> {
  const { victim } = ground;
  const tries: readonly (readonly [string, object])[] = [
    ['get_test', { id: test }],
    ['list_test_runs', { id: test }],
    ['get_device', { id: victim.device.identity.agentId }],
    ['list_tests', { search: mark }],
    ['list_tests', { search: mark, tenant: victim.tenant }],
    ['tests.remove', { ids: [test] }],
    ['remove_test', { id: test }],
    ['list_tests', { limit: 1_000_000 }],
    ['list_tests', { label: Array.from({ length: 500 }, () => 'a=b') }],
    ['list_traces', { attribute: ["' OR 1=1 --"], min_ms: -1 }],
    ['list_incidents', { cursor: 'AAAA' }],
    ['query_metric', { metric: 'x', matchers: [{ label: 'a', op: '=~', values: ['(a+)+$'.repeat(500)] }] }],
  ];
  for (const [name, input] of tries) {
    const { status, text } = await callTool(ground, token, [name, input]);
    const isWithin = Buffer.byteLength(text) <= MAX_TEXT_BYTES;
    expect({ name, status, tells: text.includes(mark), isWithin }).toEqual({ name, status: 200, tells: false, isWithin: true });
  }
  expect([413, 0]).toContain((await callTool(ground, token, ['list_tests', { search: 'x'.repeat(200_000) }])).status);
  expect((await post(ground, Array(1000).fill(LIST), { token })).status).toBe(400);
  expect((await ground.api(`/v1/tests/${test}`, { token: victim.tokens.admin })).status).toBe(200);
}

attack({
  name: 'by MCP an assistant with a token for it reads its own consenting tenant, masked and within bounds, and changes nothing',
  surfaces: ['POST /mcp', 'GET /mcp', 'DELETE /mcp'],
  cost: 'short',
  async run(ground) {
    const { hostile, victim } = ground;
    const sides = [victim, hostile];
    const mark = newMark();
    const json = { name: mark, type: 'tcp', target: '10.11.12.13:443', enabled: false };
    const made = await ground.api('/v1/tests', { token: victim.tokens.admin, json });
    const { id: test } = JSON.parse(made.body) as { id: string };
    const [own, theirs] = [await mint(ground, victim), await mint(ground, hostile)];
    await expectDenied(ground, hostile);
    await Promise.all(sides.map((side) => setConsent(ground, side, 'on')));
    try {
      await expectClosed(ground, hostile);
      const { text } = await callTool(ground, own, ['list_tests', { search: mark }]);
      expect({ found: text.includes(mark), masked: !text.includes('10.11.12.13') }).toEqual({ found: true, masked: true });
      expect(await askByStdio(ground, own, ['list_tests', { search: mark }])).toContain(mark);
      await expectAnswered(ground, theirs);
      await expectWalled(ground, theirs, { test, mark });
      const trail = await ground.api('/v1/audit?limit=100', { token: hostile.tokens.auditor });
      expect({ has: trail.body.includes('"mcp.query"'), tells: trail.body.includes(mark) }).toEqual({ has: true, tells: false });
    } finally {
      await Promise.all(sides.map((side) => setConsent(ground, side, 'off')));
    }
    await expectDenied(ground, hostile);
  },
});
