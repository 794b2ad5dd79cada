import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { ProcedureMeta } from '../../server/src/api/index.ts';
import { createFolderBlobs } from '../../server/src/blobs/index.ts';
import { createMemoryBus } from '../../server/src/bus/index.ts';
import { compose } from '../../server/src/compose/product.ts';
import { loadConfig } from '../../server/src/config.ts';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '../../server/src/crypto/index.ts';
import { createTestDatabase } from '../../server/src/relational/test-database.ts';
import { openTelemetry } from '../../server/src/telemetry/index.ts';
import { root } from '../env.ts';
import { GRPC_METHODS, SIGNALS } from './harness/otlp.ts';

export interface Procedure {
  name: string;
  type: 'query' | 'mutation';
  permission: string | undefined;
  /** Its route below /v1, as `METHOD /pattern`. */
  route: string | undefined;
}

export interface Surfaces {
  procedures: Procedure[];
  /** `METHOD /pattern`. */
  routes: string[];
  /** Paths of the agents' gRPC listener and of OTLP. */
  grpc: string[];
  /** Keys of the addresses that the product listens at. */
  listeners: string[];
  topics: string[];
}

interface Route {
  method: string | string[];
  url: string;
}

/** Composes the product as a process does, without listening, and reads from it all that somebody can reach. */
export async function readSurfaces(): Promise<Surfaces> {
  const routes = new Set<string>();
  const note = ({ method, url }: Route) => {
    for (const one of [method].flat()) if (one !== 'HEAD') routes.add(`${one} ${url}`);
  };
  const onApp = (message: unknown) => (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', note);
  subscribe('fastify.initialization', onApp);
  try {
    const product = await composeOnce();
    return { ...product, routes: [...routes].sort(), listeners: readListeners(), topics: Object.values(TOPICS) };
  } finally {
    unsubscribe('fastify.initialization', onApp);
  }
}

async function composeOnce(): Promise<Pick<Surfaces, 'procedures' | 'grpc'>> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-registry-'));
  const database = await createTestDatabase();
  const log = pino({ level: 'silent' });
  const telemetry = await openTelemetry({ dataDir: folder, migrationsDir: join(root, 'clickhouse', 'migrations'), log });
  try {
    const ca = await createRootCa({ commonName: 'registry' });
    const leaf = await createServerLeaf(ca, { hosts: ['localhost'] });
    const config = loadConfig({
      ...{ SVC_DATA_DIR: folder, SVC_PUBLIC_URL: 'https://localhost:8443' },
      ...{ SVC_OTLP_GRPC_ADDR: '127.0.0.1:0', SVC_OTLP_HTTP_ADDR: '127.0.0.1:0' },
    });
    const dataDir = { path: folder, join: (...parts: string[]) => join(folder, ...parts), release: () => {} };
    const open = {
      relational: database.relational,
      telemetry,
      bus: createMemoryBus({ log }),
      blobs: createFolderBlobs(join(folder, 'blobs')),
    };
    const stores = { ...open, dataDir, sealer: createSealer(randomBytes(32)), databaseEnded: undefined, close: async () => {} };
    const tls = { key: leaf.keyPem, cert: leaf.certPem, ca: ca.certPem, pin: spkiPin(ca.certPem), notAfterMs: Date.now() };
    // Its types come from the sources here, those of the composition from what is built of them.
    const product = await compose({ config, stores: stores as never, tls, log });
    await product.http.app.ready();
    const grpc = Object.values(product.slices).flatMap((slice) =>
      ('grpc' in slice ? (slice.grpc ?? []) : []).flatMap(({ definition }) => Object.values(definition).map(({ path }) => path)),
    );
    const known = product.router._def.procedures as unknown as Record<string, { _def: { type: string; meta?: ProcedureMeta } }>;
    const procedures = Object.entries(known).map(([name, { _def }]) => ({
      ...{ name, type: _def.type as Procedure['type'], permission: _def.meta?.permission },
      route: _def.meta?.rest && `${_def.meta.rest.method} /v1${_def.meta.rest.path}`,
    }));
    await product.drain();
    return { procedures, grpc: [...grpc, ...SIGNALS.map((signal) => GRPC_METHODS[signal])] };
  } finally {
    await telemetry.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every key is on this page and nothing else is: a test of the product holds that. */
function readListeners(): string[] {
  const page = readFileSync(join(root, 'docs', 'configuration.md'), 'utf8');
  const keys = [...page.matchAll(/^\| `(SVC_\w+_ADDR)` \|/gm)].map((match) => match[1] ?? '');
  return keys.filter((key) => !key.includes('_PUBLIC_'));
}

/** Surfaces that need no attack, each with its reason. A new surface is attacked or has a sentence here. */
const EXEMPT: readonly (readonly [surface: RegExp, why: string])[] = [
  [/^GET \/(assets|fonts|auth\/assets)\//, 'the same file for everybody, of the build; paths are attacked at GET /*'],
  [/^GET \/[\w.-]+\.(svg|png|ico|webmanifest|txt|woff2|js)(\.br|\.gz)?$/, 'the same file for everybody, of the build'],
  [/^GET \/docs\/api/, 'the reference of the API, the same for everybody; paths are attacked at GET /*'],
  [/^GET \/(healthz|readyz)$/, 'asked before and after every attack'],
  [/^GET \/$/, 'the page of the console, the same for everybody'],
  [/^GET \/v1\/openapi\.json$/, 'the description of the API, the same for everybody'],
  [/^GET \/auth\/signed-out$/, 'a page without input'],
  [/^[A-Z]+ \/\*$/, 'nothing is there: the page of the console or a problem document'],
  [/^\w+ \/trpc\//, 'its procedures are surfaces of their own'],
  [/^(OPTIONS|POST) \/auth\/oidc\/\*$/, 'the protocol between the built-in issuer and this server, entered by GET'],
  [/^topic svc\.network\.results$/, 'only runners publish there, which are attacked by their own procedures'],
];

/** Every surface by its name. */
export const namesOf = ({ procedures, routes, grpc, listeners, topics }: Surfaces): string[] => [
  ...procedures.map(({ name }) => `trpc ${name}`),
  ...routes,
  ...grpc.map((path) => `grpc ${path}`),
  ...listeners.map((key) => `listener ${key}`),
  ...topics.map((topic) => `topic ${topic}`),
];

/** Surfaces that no attack names and no sentence exempts, and names of attacks that are no surface. */
export function compareWithAttacks(surfaces: Surfaces, attacked: readonly string[]): { unattacked: string[]; unknown: string[] } {
  const named = new Set(attacked);
  // A route of a procedure is one door to the same code, admitted alike.
  for (const { name, route } of surfaces.procedures) if (route && named.has(`trpc ${name}`)) named.add(route);
  const names = namesOf(surfaces);
  const all = new Set(names);
  return {
    unattacked: names.filter((name) => !named.has(name) && !EXEMPT.some(([pattern]) => pattern.test(name))),
    unknown: attacked.filter((name) => !all.has(name)),
  };
}
