import { randomUUID } from 'node:crypto';
import { type RequestOptions, request } from 'node:https';
import { TOPICS } from '@svc/contracts/bus-topics';
import { CreateApp, type RumApp } from '@svc/contracts/rum/apps';
import Fastify from 'fastify';
import { type Bus, createMemoryBus } from '#bus';
import { createRootCa, createServerLeaf } from '#crypto';
import { createHttpEdge } from '#edge';
import { AppError, type Ctx, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import type { TestDatabase } from '#test-database';
import { createApp } from './apps.ts';
import type { RumConfig, RumContext, RumDeps } from './context.ts';
import { createRum } from './index.ts';

const log = Fastify({ logger: { level: 'silent' } }).log;

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: Record<string, unknown>;
}

export interface RumServer {
  slice: ReturnType<typeof createRum>;
  context: RumContext;
  /** What was published, as it stands on the bus. */
  published: { tenant: TenantId; value: Record<string, unknown> }[];
  bus: { isAway: boolean };
  send(body: string | Buffer, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  ask(path: string, options: RequestOptions, body?: string): Promise<Answer>;
  newApp(hosts?: string[], more?: object): Promise<{ tenant: TenantId; ctx: Ctx; app: RumApp; key: string }>;
  port: number;
  ca: string;
  close(): Promise<void>;
}

export const RELEASE = { hash: 'abcdef0123456789', integrity: 'sha384-x', bytes: Buffer.from('(()=>{/* released */})()') };
export const OLDER = { hash: '0000000000000000', integrity: 'sha384-y', bytes: Buffer.from('(()=>{/* older */})()') };

const leafOf = async () => {
  const ca = await createRootCa({ commonName: 'rum test' });
  return { ca: ca.certPem, leaf: await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] }) };
};
const certificates = await leafOf();

/** The slice on its own listener, with real stores beneath it and a bus that can be away. */
export async function startRum(
  database: TestDatabase,
  config: Partial<RumConfig> = {},
  more: Pick<RumDeps, 'judgePast'> = {},
): Promise<RumServer> {
  const { relational } = database;
  const state = { isAway: false };
  const memory = createMemoryBus({ log });
  const published: RumServer['published'] = [];
  const publish: Bus['publish'] = async (topic, messages) => {
    if (state.isAway) throw new AppError('unavailable', 'The bus does not answer.', { retryAfterSeconds: 1 });
    await memory.publish(topic, messages);
    if (topic !== TOPICS.rumEvents) return;
    for (const { tenant, value } of messages) published.push({ tenant, value: JSON.parse(value.toString('utf8')) });
  };
  const slice = createRum({
    ...{ relational, bus: { ...memory, publish }, releases: [OLDER, RELEASE], pages: {}, log },
    config: { enabled: undefined, apps: [], ratePerMin: 300, publicUrl: 'https://obs.example', ...config },
    appendAudit: async () => {},
    ensureTenant: async (tenant) => void (await createTenant(relational, { id: tenant, name: tenant })),
    nameActors: async () => new Map(),
    clock: { now: () => Date.now() },
    ...more,
  });
  const edge = await createHttpEdge({
    tls: { key: certificates.leaf.keyPem, cert: certificates.leaf.certPem },
    ...{ log, trustedProxies: [], ratePerMinute: 600, readiness: { phase: 'serving' as const } },
  });
  await slice.routes(edge.app);
  await slice.start();
  const port = await edge.listen({ host: '127.0.0.1', port: 0 });

  const ask = (path: string, options: RequestOptions, body?: string | Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const to = { host: '127.0.0.1', port, path, ca: certificates.ca, agent: false };
      const outgoing = request({ ...to, ...options }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = String(incoming.headers['content-type']).includes('json');
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: isJson ? JSON.parse(text) : {} });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  return {
    ...{ slice, ask, context: slice.context, published, bus: state, port, ca: certificates.ca },
    send: async (body, options = {}) =>
      await ask('/ingest/rum', { method: 'POST', headers: { 'content-type': 'text/plain' }, ...options }, body),
    get: async (path, options = {}) => await ask(path, options),
    async newApp(hosts = [], more = {}) {
      const tenant = parseTenantId(`t-${randomUUID().slice(0, 8)}`);
      await createTenant(relational, { id: tenant, name: tenant });
      const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(['settings.write' as const]) };
      const ctx: Ctx = { principal, requestId: 'test' };
      const app = await createApp(slice.context, ctx, CreateApp.parse({ name: 'shop', hosts, ...more }));
      return { tenant, ctx, app, key: app.keys[0]?.key ?? '' };
    },
    async close() {
      await edge.close();
      await slice.close();
      await memory.close();
    },
  };
}

export const beacon = (key: string, more: object = {}): string =>
  JSON.stringify({
    v: 1,
    key,
    consent: true,
    host: 'shop.example',
    page: '/cart?token=secret',
    vitals: { lcp_ms: 1900 },
    ...more,
  });
