import { randomBytes } from 'node:crypto';
import { freePort } from '@svc/testkit/free-port';
import { pino } from 'pino';
import { z } from 'zod';
import { mountApi, permitted, router } from '#api';
import { createRootCa, createSealer, createServerLeaf } from '#crypto';
import { createHttpEdge } from '#edge';
import { actorOf, type Clock, parseTenantId, type TenantId } from '#kernel';
import { openRelational } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createIdentity, type IdentityConfig, type IdentityDeps } from '../identity/index.ts';
import type { SignInConfig } from './config.ts';
import { createSignIn } from './index.ts';
import { createTestBrowser, formAction, type TestBrowser } from './test-browser.ts';

interface Audited {
  tenant: string;
  action: string;
  actor: string;
  object: string;
  detail: Readonly<Record<string, unknown>>;
}

/** Writes what the audit slice writes, without importing it (features never import features). */
const createTestAudit = (entries: Audited[]): IdentityDeps['appendAudit'] => {
  return async (sql, { action, actor, object, detail }) => {
    const { rows } = await sql.query<{ tenant: string }>("SELECT current_setting('app.tenant_id') AS tenant");
    const tenant = rows[0]?.tenant ?? '';
    entries.push({ tenant, action, actor: `${actor.kind} ${actor.id}`, object: object?.id ?? '', detail: detail ?? {} });
  };
};

export const PASSWORD = 'correct horse battery';
/** The real count takes 150 ms of a core for each sign-in; what it is holds crypto/password.test.ts. */
export const CHEAP_ITERATIONS = 1000;

export interface Options {
  config?: Partial<IdentityConfig & SignInConfig>;
  buildTag?: 'release' | 'dev';
  port?: number;
  /** Another replica of this server: the same database, keys and public address, a port of its own. */
  beside?: TestServer;
  /** Whose X-Forwarded-For is believed; by it a test comes from many addresses. */
  trustedProxies?: readonly string[];
  stepsPerMinute?: number;
}

/** A pool of its own on the database of another replica. */
async function openBeside(database: TestDatabase): Promise<TestDatabase> {
  const relational = await openRelational({ appUrl: database.appUrl, log: pino({ level: 'error' }) });
  return { ...database, relational, close: async () => await relational.close() };
}

const Repeated = z.object({ times: z.coerce.number() });

/** Procedures that ask who asks, and that answer at length. */
const createThings = () =>
  router({
    whose: permitted('agent.read', { rest: { method: 'GET', path: '/whose' } })
      .input(z.object({}))
      .output(z.object({ tenant: z.string(), actor: z.string() }))
      .query(({ ctx }) => ({ tenant: ctx.principal.tenant, actor: `${actorOf(ctx.principal).kind}` })),
    repeat: permitted('agent.read', { rest: { method: 'GET', path: '/repeat', query: Repeated } })
      .input(z.object({ times: z.number() }))
      .output(z.object({ text: z.string() }))
      .query(({ input }) => ({ text: 'device '.repeat(input.times) })),
  });

/** The slices identity and sign-in behind the real HTTPS listener and API, on a real PostgreSQL. */
export async function startTestServer({
  config = {},
  buildTag = 'release',
  port: given,
  beside,
  trustedProxies = [],
  stepsPerMinute,
}: Options = {}): Promise<TestServer> {
  const database = beside ? await openBeside(beside.database) : await createTestDatabase({ poolSize: 10 });
  const port = given ?? (await freePort());
  const here = `https://localhost:${port}`;
  const publicUrl = beside?.publicUrl ?? here;
  const envelopeKey = beside?.envelopeKey ?? randomBytes(32);
  const time = beside?.time ?? { offsetMs: 0 };
  const clock: Clock = { now: () => Date.now() + time.offsetMs };
  const passwords = beside?.passwords ?? { iterations: CHEAP_ITERATIONS };
  const audited: Audited[] = [];
  const log = pino({ level: 'error' });
  const { relational } = database;
  const settings: IdentityConfig & SignInConfig = {
    ...{ authMode: 'session', publicUrl, publicUrlIsSet: false, external: undefined },
    ...{ signInTenant: parseTenantId('default'), groupRoles: new Map(), bootstrapAdmin: undefined },
    ...config,
  };
  const identity = createIdentity({
    ...{ relational, clock, buildTag, log, config: settings },
    appendAudit: createTestAudit(audited),
    sealer: createSealer(envelopeKey),
    passwordIterations: () => passwords.iterations,
  });
  const signIn = createSignIn({ relational, clock, log, config: settings, people: identity.signIn, stepsPerMinute });
  const ca = await createRootCa({ commonName: 'identity test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
  const tls = { key: leaf.keyPem, cert: leaf.certPem };
  const edge = await createHttpEdge({ tls, log, trustedProxies, ratePerMinute: 0, readiness: { phase: 'serving' } });
  await signIn.routes(edge.app);
  await identity.start();
  const all = router({ identity: identity.procedures, things: createThings() });
  const { resolveRequest, cookieName: sessionCookie } = identity;
  await mountApi(edge.app, { router: all, version: '0', publicUrl, sessionCookie, resolveRequest });
  edge.app.get('/', async () => 'the console');
  await edge.listen({ host: '127.0.0.1', port });
  return {
    database,
    identity,
    audited,
    time,
    passwords,
    publicUrl,
    here,
    ca: ca.certPem,
    envelopeKey,
    browser: (others = []) => createTestBrowser(here, { ca: ca.certPem, others }),
    close: async () => {
      await edge.close();
      await signIn.close();
      await identity.close();
      await database.close();
    },
  };
}

export interface TestServer {
  database: TestDatabase;
  identity: ReturnType<typeof createIdentity>;
  audited: Audited[];
  time: { offsetMs: number };
  /** What a new password costs; undefined is the real cost, for tests of what happens meanwhile. */
  passwords: { iterations: number | undefined };
  publicUrl: string;
  /** Where this replica itself answers, and PEM of the authority that signed its certificate. */
  here: string;
  ca: string;
  envelopeKey: Buffer;
  /** `others` are origins beside this server's that the browser may be led to; their certificates are trusted by the process. */
  browser(others?: readonly string[]): TestBrowser;
  close(): Promise<void>;
}

/** Opens a claim or invitation link and signs in with it; the browser then holds a session. */
export async function join(browser: TestBrowser, url: string, person: { email: string; name?: string; password?: string }) {
  const page = await browser.open(url);
  const password = person.password ?? PASSWORD;
  const token = new URL(url).searchParams.get('token') ?? '';
  const form = { token, email: person.email, name: person.name ?? '', password, again: password };
  return await browser.open(formAction(page), { method: 'POST', form });
}

export async function signIn(browser: TestBrowser, person: { email: string; password?: string }, path = '/auth/login') {
  const page = await browser.open(path);
  const form = { email: person.email, password: person.password ?? PASSWORD };
  return await browser.open(formAction(page), { method: 'POST', form });
}

/** A browser signed in as a fresh admin of the tenant. */
export async function adminOf(server: TestServer, tenant: string): Promise<TestBrowser> {
  const id: TenantId = parseTenantId(tenant);
  await server.identity.ensureTenant(id, { name: tenant, simulated: false });
  const browser = server.browser();
  const { url } = await server.identity.createClaimLink(id);
  await join(browser, url, { email: `admin@${tenant}.test`, name: `Admin of ${tenant}` });
  return browser;
}

/** A tRPC query or mutation by cookie. */
export async function call<T>(
  browser: TestBrowser,
  path: string,
  input?: unknown,
): Promise<{ status: number; data: T; error?: string }> {
  const answer =
    input === undefined
      ? await browser.ask(`/trpc/${path}?input=%7B%7D`)
      : await browser.ask(`/trpc/${path}`, { method: 'POST', json: input });
  const body = JSON.parse(answer.body) as { result?: { data: T }; error?: { message: string } };
  return { status: answer.status, data: body.result?.data as T, ...(body.error ? { error: body.error.message } : {}) };
}
