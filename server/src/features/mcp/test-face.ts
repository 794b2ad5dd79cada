import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Permission } from '@svc/contracts/permissions';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { z } from 'zod';
import { mountApi, permitted, router } from '#api';
import { createSealer } from '#crypto';
import { answerError } from '#edge';
import { type AuditEntry, type Ctx, parseTenantId, type TenantId } from '#kernel';
import { createMcp } from './index.ts';
import { TOOLS } from './tools/index.ts';

export const ACME = parseTenantId('acme');
const PUBLIC_URL = 'https://svc.example';

type Answers = Readonly<Record<string, (input: Record<string, unknown>, ctx: Ctx) => unknown>>;

/** The procedures that tools ask, as other slices would answer them. */
function createProcedures(answers: Answers) {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const { procedure } of TOOLS) {
    const [group = '', name = ''] = procedure.split('.');
    const permission: Permission = procedure === 'traces.get' ? 'otlp.read' : 'incident.read';
    groups[group] ??= {};
    groups[group][name] = permitted(permission)
      .input(z.looseObject({}))
      .query(({ ctx, input }) => answers[procedure]?.(input, ctx) ?? { items: [], next_cursor: null });
  }
  return router(Object.fromEntries(Object.entries(groups).map(([name, procedures]) => [name, router(procedures as never)])));
}

/** Who holds which token. */
const TOKENS: Readonly<Record<string, { tenant: TenantId; permissions: readonly Permission[]; kind?: 'account' }>> = {
  operator: { tenant: ACME, permissions: ['ai.query', 'incident.read', 'otlp.read'] },
  narrow: { tenant: ACME, permissions: ['ai.query', 'incident.read'] },
  viewer: { tenant: ACME, permissions: ['incident.read', 'otlp.read'] },
  other: { tenant: parseTenantId('other'), permissions: ['ai.query', 'incident.read'] },
  person: { tenant: ACME, permissions: ['ai.query', 'incident.read'], kind: 'account' },
};

export interface TestFace {
  app: FastifyInstance;
  /** What is in the trail. */
  trail: AuditEntry[];
  consented: Set<TenantId>;
  withdraw(tenant: TenantId): void;
  post(
    message: unknown,
    options?: { token?: string; headers?: Record<string, string> },
  ): Promise<{ status: number; body: string }>;
  /** The official client, connected. */
  connect(token: string): Promise<Client>;
}

/** The face behind the API's own door, with consent and masking as governance would give them. */
export async function openFace(answers: Answers = {}): Promise<TestFace> {
  const [trail, consented] = [[] as AuditEntry[], new Set<TenantId>([ACME])];
  const followers = new Set<AbortController>();
  const app = Fastify() as unknown as FastifyInstance;
  app.setErrorHandler(answerError);
  app.decorateRequest('principalCtx', undefined);
  const { face } = createMcp({
    relational: { withTenantSql: async (_tenant, work) => await work({} as never) },
    appendAudit: async (_sql, entry) => void trail.push(entry),
    mayLeave: async (tenant) => consented.has(tenant),
    whileConsented: async (_tenant, work) => {
      const controller = new AbortController();
      followers.add(controller);
      return await work(controller.signal).finally(() => followers.delete(controller));
    },
    mask: async (_tenant, texts) =>
      texts.map((text) => {
        const masked = text.replaceAll(/\b10(\.\d+){3}\b/g, '10.0.0.0/24');
        return { text: masked, counts: masked === text ? {} : { ip_address: 1 } };
      }),
    ...{ sealer: createSealer(Buffer.alloc(32, 1)), publicUrl: PUBLIC_URL, version: '1.2.3', log: app.log },
  });
  await mountApi(app, {
    ...{ router: createProcedures(answers), version: '1.2.3', publicUrl: PUBLIC_URL, sessionCookie: 'session', faces: [face] },
    resolveRequest: async ({ headers, id }): Promise<Ctx | undefined> => {
      const known = TOKENS[headers.authorization?.replace('Bearer ', '') ?? ''];
      if (!known) return undefined;
      const { tenant, permissions, kind = 'api_token' } = known;
      return { requestId: id, principal: { kind, id: 't1', tenant, permissions: new Set(permissions) } };
    },
  });
  const inject = async (options: InjectOptions) => await app.inject(options);
  return {
    ...{ app, trail, consented },
    withdraw(tenant) {
      consented.delete(tenant);
      for (const controller of followers) controller.abort();
    },
    async post(message, { token, headers = {} } = {}) {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const sent = { 'content-type': 'application/json', ...authorization, ...headers };
      const payload = typeof message === 'string' ? message : JSON.stringify(message);
      const { statusCode, body } = await inject({ method: 'POST', url: '/mcp', headers: sent, payload });
      return { status: statusCode, body };
    },
    async connect(token) {
      const client = new Client({ name: 'test', version: '0' });
      const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
        const headers = { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${token}` };
        const method = (init.method ?? 'GET') as 'GET' | 'POST';
        const answer = await inject({ method, url: new URL(url).pathname, headers, payload: String(init.body ?? '') });
        return new Response(answer.body === '' ? null : answer.body, {
          status: answer.statusCode,
          headers: answer.headers as Record<string, string>,
        });
      };
      const transport = new StreamableHTTPClientTransport(new URL(`${PUBLIC_URL}/mcp`), { fetch });
      await client.connect(transport as Parameters<Client['connect']>[0]);
      return client;
    },
  };
}

export interface ToolAnswer {
  data?: unknown;
  next_cursor?: string | null;
  masked?: Record<string, number>;
  cut?: { items: number; characters: number };
  error?: { code: string; message: string; faults?: { path: string; message: string }[] };
}

export async function callTool(client: Client, name: string, input: object = {}): Promise<ToolAnswer & { bytes: number }> {
  const { content } = (await client.callTool({ name, arguments: input as Record<string, unknown> })) as CallToolResult;
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { ...(JSON.parse(text) as ToolAnswer), bytes: Buffer.byteLength(text) };
}
