// The whole product without a network, and two tenants: acme, which has one of everything, and another, which wants to know of it.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { z } from 'zod';
import type { ProcedureMeta } from '#api';
import { createFolderBlobs } from '#blobs';
import { createMemoryBus } from '#bus';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '#crypto';
import { parseTenantId, type TenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openFreshTelemetry } from '#test-telemetry';
import { compose, type Product } from '../compose/product.ts';
import { loadConfig } from '../config.ts';
import { type Belongings, INPUTS } from './procedure-inputs.ts';
import { settleBelongings } from './test-belongings.ts';

export const ACME = parseTenantId('acme');
export const OTHER = parseTenantId('other');
/** Stands in everything of acme that has a name. */
export const MARK = 'of-acme-alone';

/** What a browser of the console's own origin sends. */
export const OWN_ORIGIN = { host: 'localhost:8443', 'sec-fetch-site': 'same-origin' };

type Headers = Record<string, string>;
type Cookies = Map<string, string>;

async function composeProduct(database: TestDatabase, telemetry: Telemetry): Promise<Product> {
  const ca = await createRootCa({ commonName: 'walls test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost'] });
  const config = loadConfig({ SVC_DATA_DIR: tmpdir(), SVC_PUBLIC_URL: 'https://localhost:8443', SVC_API_RATE_PER_MIN: '0' });
  const log = pino({ level: 'silent' });
  const dataDir = { path: tmpdir(), join: (...parts: string[]) => [tmpdir(), ...parts].join('/'), release: () => {} };
  const { relational } = database;
  const blobs = createFolderBlobs(dataDir.join('blobs'));
  const open = { relational, telemetry, bus: createMemoryBus({ log }), blobs };
  const stores = { ...open, dataDir, sealer: createSealer(randomBytes(32)), databaseEnded: undefined, close: async () => {} };
  const tls = { key: leaf.keyPem, cert: leaf.certPem, ca: ca.certPem, pin: spkiPin(ca.certPem), notAfterMs: Date.now() };
  const product = await compose({ config, stores, tls, log });
  await product.http.app.ready();
  return product;
}

const cookieOf = (cookies: Cookies): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** One request of a browser without a network, keeping its cookies. */
async function visit({ http }: Product, cookies: Cookies, { url, form }: { url: string; form?: Headers }) {
  const { pathname, search } = new URL(url, 'https://localhost:8443');
  const answer = await http.app.inject({
    method: form ? 'POST' : 'GET',
    url: pathname + search,
    headers: {
      ...OWN_ORIGIN,
      cookie: cookieOf(cookies),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(form ? { payload: new URLSearchParams(form).toString() } : {}),
  });
  for (const { name, value } of answer.cookies) cookies.set(name, value);
  return answer;
}

/** Claims the tenant and follows the sign-in to its end; gives the headers of the session. */
async function signInAdmin(product: Product, tenant: TenantId): Promise<Headers> {
  await product.slices.identity.ensureTenant(tenant, { name: `Tenant ${tenant}`, simulated: false });
  const { url } = await product.slices.identity.createClaimLink(tenant);
  const cookies: Cookies = new Map();
  const token = new URL(url).searchParams.get('token') ?? '';
  const password = 'correct horse battery';
  const form = { token, email: `admin@${tenant}.test`, name: tenant === ACME ? MARK : 'Other', password, again: password };
  let answer = await visit(product, cookies, { url: '/auth/claim', form });
  for (let hops = 0; hops < 10 && answer.headers.location !== '/'; hops += 1)
    answer = await visit(product, cookies, { url: String(answer.headers.location) });
  return { cookie: cookieOf(cookies) };
}

const readProcedures = ({ router }: Product) =>
  Object.entries(
    router._def.procedures as unknown as Record<string, { _def: { type: string; meta?: ProcedureMeta; inputs: z.ZodType[] } }>,
  ).map(([name, { _def }]) => ({ name, type: _def.type, meta: _def.meta, input: _def.inputs[0] }));

/** Calls a procedure as the console does. */
export type Call = (name: string, input: object, headers?: Headers) => Promise<{ status: number; body: string }>;

const createCall =
  (product: Product): Call =>
  async (name, input, headers = {}) => {
    const { type } = readProcedures(product).find((one) => one.name === name) ?? {};
    const asked = encodeURIComponent(JSON.stringify(input));
    const answer = await product.http.app.inject(
      type === 'query'
        ? { method: 'GET', url: `/trpc/${name}?input=${asked}`, headers: { ...OWN_ORIGIN, ...headers } }
        : {
            method: 'POST',
            url: `/trpc/${name}`,
            headers: { ...OWN_ORIGIN, ...headers, 'content-type': 'application/json' },
            payload: JSON.stringify(input),
          },
    );
    return { status: answer.statusCode, body: answer.body };
  };

export const dataOf = <T>(answer: { body: string }): T => (JSON.parse(answer.body) as { result: { data: T } }).result.data;

/** Erasing what acme has would leave the other procedures nothing: here it names nobody. */
const HARMLESS: typeof INPUTS = {
  ...INPUTS,
  'lifecycle.eraseSubject': () => ({ email: `nobody@${MARK}.test` }),
  'lifecycle.eraseTenant': () => ({ confirm: 'nobody' }),
};

/** Acme's own admin cannot do these to its only admin or to acme itself; tests of identity and of erasing show their entries. */
const NEEDS_SECOND_PERSON = [
  ...['identity.members.remove', 'identity.switchTenant', 'identity.sessions.revoke', 'lifecycle.eraseTenant'],
];
/** Asks a model, which is not there: its entry is shown beside it (features/causes/causes.int.test.ts). */
const NEEDS_MODEL = ['causes.ask'];

/** Who asks: acme's admin, the other tenant's admin by a session and by a token, and one of acme's with few permissions. */
interface Credentials {
  acme: Headers;
  session: Headers;
  token: Headers;
  auditor: Headers;
}

async function signIn(product: Product): Promise<Omit<Credentials, 'acme'>> {
  const session = await signInAdmin(product, OTHER);
  const { identity } = product.slices;
  const { secret } = await identity.mintToken(OTHER, { name: 'walls', roles: ['admin'], expiresAt: undefined });
  const weak = await identity.mintToken(ACME, { name: 'weak', roles: ['auditor'], expiresAt: undefined });
  return {
    session,
    token: { authorization: `Bearer ${secret}` },
    auditor: { authorization: `Bearer ${weak.secret}` },
  };
}

export async function openWalledProduct() {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'svc-walls-'));
  const telemetry = await openFreshTelemetry(folder);
  const product = await composeProduct(database, telemetry);
  const call = createCall(product);
  const admin = await signInAdmin(product, ACME);
  const place = { relational: database.relational, telemetry, incidents: product.slices.incidents, tenant: ACME, mark: MARK };
  const acme: Belongings = await settleBelongings(place, async (name, input) => dataOf(await call(name, input, admin)));
  const credentials: Credentials = { acme: admin, ...(await signIn(product)) };
  const procedures = () => readProcedures(product);
  return {
    ...{ product, database, acme, credentials, call, procedures },
    inputOf: (name: string): object => HARMLESS[name]?.(acme) ?? {},
    /** Mutations that acme's admin can do to what acme has. */
    mutations: () =>
      procedures().filter(
        ({ name, type }) => type === 'mutation' && !NEEDS_SECOND_PERSON.includes(name) && !NEEDS_MODEL.includes(name),
      ),
    async close(): Promise<void> {
      await product.drain();
      await telemetry.close();
      await rm(folder, { recursive: true, force: true });
      await database.close();
    },
  };
}

export type WalledProduct = Awaited<ReturnType<typeof openWalledProduct>>;
