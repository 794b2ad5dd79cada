import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { AppError, type ConfigFragment, type ConfigOf, type Environment, type Fault, readFragment } from '#kernel';
import { auditKeys } from './features/audit/config.ts';
import { changeKeys } from './features/changes/config.ts';
import { fleetKeys } from './features/fleet/config.ts';
import { metricsKeys } from './features/metrics/config.ts';
import { findModelFaults, modelKeys } from './features/models/config.ts';
import { notifyKeys } from './features/notify/config.ts';
import { notifyInboundKeys } from './features/notify-inbound/config.ts';
import { otlpKeys } from './features/otlp/config.ts';
import { findExportFaults, otlpExportKeys } from './features/otlp-export/config.ts';
import { otlpStoreKeys } from './features/otlp-store/config.ts';
import { otlpTokenKeys } from './features/otlp-tokens/config.ts';
import { releaseKeys } from './features/releases/config.ts';
import { rumKeys } from './features/rum/config.ts';
import { runnerKeys } from './features/runners/config.ts';
import { selfMetricsKeys } from './features/self-metrics/config.ts';
import { testKeys, testsClientKeys } from './features/tests/config.ts';
import { BUILD_TAG } from './process/build-info.ts';
import { findIncomplete, findUnreadable, findUnsafe, isFleet } from './process/config-checks.ts';
import { distance } from './process/edit-distance.ts';
import { outboundKeys } from './process/outbound-config.ts';
import {
  busKeys,
  databaseKeys,
  endpointKeys,
  identityKeys,
  serverKeys,
  telemetryKeys,
  tlsKeys,
} from './process/platform-config.ts';

/** Every fragment of this server; a slice's own (features/<area>/config.ts) is one more line here. */
const FRAGMENTS = {
  server: serverKeys,
  tls: tlsKeys,
  database: databaseKeys,
  telemetry: telemetryKeys,
  bus: busKeys,
  identity: identityKeys,
  endpoint: endpointKeys,
  enrolment: fleetKeys,
  audit: auditKeys,
  changes: changeKeys,
  metrics: metricsKeys,
  releases: releaseKeys,
  runners: runnerKeys,
  rum: rumKeys,
  notify: notifyKeys,
  notifyInbound: notifyInboundKeys,
  otlp: otlpKeys,
  otlpTokens: otlpTokenKeys,
  otlpStore: otlpStoreKeys,
  selfMetrics: selfMetricsKeys,
  otlpExport: otlpExportKeys,
  outbound: outboundKeys,
  models: modelKeys,
  tests: testKeys,
  testsClient: testsClientKeys,
} as const satisfies Record<string, ConfigFragment>;

/** Values of all keys by fragment. */
type Fragments = { readonly [K in keyof typeof FRAGMENTS]: ConfigOf<(typeof FRAGMENTS)[K]> };

export interface DocumentedKey {
  key: string;
  defaultText: string;
  doc: string;
  secret: boolean;
}

/** Every key of the server: docs/configuration.md lists exactly these. */
export const CONFIG_KEYS: readonly DocumentedKey[] = Object.values(FRAGMENTS)
  .flatMap((fragment: ConfigFragment) => Object.values(fragment))
  .map(({ key, defaultText, doc, secret }) => ({ key, defaultText: defaultText ?? 'unset', doc, secret: secret ?? false }));

/** Reads every fragment; what cannot be read is one of `faults`, and its key is as if unset. */
function readFragments(env: Environment, faults: Fault[]): Fragments {
  const read = <K extends keyof Fragments>(name: K) => readFragment(FRAGMENTS[name], env, faults) as Fragments[K];
  return {
    server: read('server'),
    tls: read('tls'),
    database: read('database'),
    telemetry: read('telemetry'),
    bus: read('bus'),
    identity: read('identity'),
    endpoint: read('endpoint'),
    enrolment: read('enrolment'),
    audit: read('audit'),
    changes: read('changes'),
    metrics: read('metrics'),
    releases: read('releases'),
    runners: read('runners'),
    rum: read('rum'),
    notify: read('notify'),
    notifyInbound: read('notifyInbound'),
    otlp: read('otlp'),
    otlpTokens: read('otlpTokens'),
    otlpStore: read('otlpStore'),
    selfMetrics: read('selfMetrics'),
    otlpExport: read('otlpExport'),
    outbound: read('outbound'),
    models: read('models'),
    tests: read('tests'),
    testsClient: read('testsClient'),
  };
}

/** What the whole server is configured with: parsed, checked and frozen. Read once, by main.ts or svc.ts. */
export interface Config extends Fragments {
  /** Absolute. */
  dataDir: string;
  /** https://host[:port], always there; `server.publicUrl` is undefined where nobody set it. */
  publicUrl: string;
  /** True when other members may share the database: SVC_DATABASE_URL, or only some of the roles. */
  fleet: boolean;
  buildTag: 'release' | 'dev';
}

/** Keys of the agent and of tests may stand in the same environment. */
const FOREIGN = /^SVC_(TEST|AGENT|ENDPOINT)_/;

function findUnknown(env: Environment): Fault[] {
  const known = new Set(CONFIG_KEYS.map(({ key }) => key));
  const unknown = Object.keys(env).filter((key) => key.startsWith('SVC_') && !known.has(key) && !FOREIGN.test(key));
  return unknown.sort().map((key) => {
    const near = CONFIG_KEYS.map((other) => ({ key: other.key, far: distance(key, other.key) })).sort((a, b) => a.far - b.far)[0];
    const hint = near && near.far <= 3 ? `did you mean ${near.key}?` : 'take it out; docs/configuration.md lists all keys.';
    return { path: key, message: `is not a key of this version: ${hint}` };
  });
}

/** The checkout's root, from src/ and from dist/ alike; undefined in an installed release. */
function findCheckout(): string | undefined {
  const root = resolve(import.meta.dirname, '..', '..');
  return existsSync(join(root, 'turbo.json')) && existsSync(join(root, 'prisma')) ? root : undefined;
}

function findDataDir(given: string | undefined, faults: Fault[]): string {
  if (given && !isAbsolute(given)) faults.push({ path: 'SVC_DATA_DIR', message: 'must be an absolute path' });
  if (given) return resolve(given);
  const checkout = findCheckout();
  return checkout ? join(checkout, 'data') : '/var/lib/svc';
}

/**
 * Has chDB's allocator give unused memory back after a second instead of five, and keep it in common for two cores each instead of for every core: what
 * one has freed is then there for the other. To be called before chDB is loaded, which reads it once.
 */
export function boundAllocator(): void {
  const arenas = Math.ceil(availableParallelism() / 2);
  process.env.JE_MALLOC_CONF ??= `dirty_decay_ms:1000,percpu_arena:disabled,narenas:${arenas}`;
}

/**
 * Before anything is read: each of the embedded ClickHouse's five sessions takes a thread of Node's four for as long as it works, and the disk
 * would wait for those. Sixteen look for names that tenants chose, each for as long as nobody answers (outbound/share-look-ups.ts).
 */
export function widenThreadPool(): void {
  process.env.UV_THREADPOOL_SIZE ??= '25';
}

/** What a process may know of this one's surroundings that does what tenants wish: nothing that is a secret, and no SVC_* key. */
const SURROUNDINGS =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LC_[A-Z]+|TZ|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|LD_LIBRARY_PATH|SystemRoot)$/;

/** The environment of the built-in runner's process. */
export const readRunnerEnvironment = (env: Environment = process.env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value !== undefined && SURROUNDINGS.test(key) ? [[key, value]] : [])),
  );

/**
 * Reads and checks everything in one go; AppError `validation` whose faults are all of them, a line each (exit 2). Nothing else in
 * the server reads the environment.
 */
export function loadConfig(env: Environment = process.env, buildTag: Config['buildTag'] = BUILD_TAG): Config {
  const faults: Fault[] = [];
  const values = readFragments(env, faults);
  const dataDir = findDataDir(values.server.dataDir, faults);
  const exportFaults = findExportFaults(values.otlpExport, buildTag);
  const checked = [
    ...findIncomplete(values),
    ...findUnsafe(values, buildTag),
    ...findUnreadable(values),
    ...findUnknown(env),
    ...exportFaults,
    ...findModelFaults(values.models),
  ];
  const faulty = new Set(faults.map(({ path }) => path));
  faults.push(...checked.filter(({ path }) => !faulty.has(path)));
  if (faults.length > 0) {
    throw new AppError('validation', `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}.`, {
      faults,
    });
  }
  const publicUrl = values.server.publicUrl ?? `https://localhost:${values.server.listenAddr.port}`;
  return Object.freeze({
    ...values,
    dataDir,
    publicUrl,
    fleet: isFleet(values),
    buildTag,
  });
}

/** What the slices identity and sign-in are given: their keys with the address at which the console lives. */
export function toIdentityConfig({ server, identity, publicUrl }: Config) {
  const { issuer, clientId, clientSecret } = identity;
  return {
    authMode: server.authMode,
    publicUrl,
    publicUrlIsSet: server.publicUrl !== undefined,
    external: issuer && clientId ? { issuer, clientId, clientSecret: clientSecret?.reveal() } : undefined,
    signInTenant: identity.tenant,
    groupRoles: identity.groupRoles,
    bootstrapAdmin: identity.bootstrapAdmin,
  };
}
