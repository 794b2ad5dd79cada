import { accessSync, constants, existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import {
  AppError,
  type ConfigFragment,
  type ConfigOf,
  type Environment,
  type Fault,
  isLoopback,
  isPostgresProtected,
  readFragment,
  sendsLoginInClear,
} from '#kernel';
import { auditKeys } from './features/audit/config.ts';
import { fleetKeys } from './features/fleet/config.ts';
import { metricsKeys } from './features/metrics/config.ts';
import { otlpKeys } from './features/otlp/config.ts';
import { findExportFaults, otlpExportKeys } from './features/otlp-export/config.ts';
import { otlpStoreKeys } from './features/otlp-store/config.ts';
import { otlpTokenKeys } from './features/otlp-tokens/config.ts';
import { releaseKeys } from './features/releases/config.ts';
import { selfMetricsKeys } from './features/self-metrics/config.ts';
import { BUILD_TAG } from './process/build-info.ts';
import {
  busKeys,
  databaseKeys,
  endpointKeys,
  identityKeys,
  serverKeys,
  telemetryKeys,
  tlsKeys,
  usesKafkaTls,
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
  metrics: metricsKeys,
  releases: releaseKeys,
  otlp: otlpKeys,
  otlpTokens: otlpTokenKeys,
  otlpStore: otlpStoreKeys,
  selfMetrics: selfMetricsKeys,
  otlpExport: otlpExportKeys,
} as const satisfies Record<string, ConfigFragment>;

type Fragments = { readonly [K in keyof typeof FRAGMENTS]: ConfigOf<(typeof FRAGMENTS)[K]> };

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

/** Keys of the agent and of tests may stand in the same environment. */
const FOREIGN = /^SVC_(TEST|AGENT|ENDPOINT)_/;

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function findUnknown(env: Environment): Fault[] {
  const known = new Set(CONFIG_KEYS.map(({ key }) => key));
  const unknown = Object.keys(env).filter((key) => key.startsWith('SVC_') && !known.has(key) && !FOREIGN.test(key));
  return unknown.sort().map((key) => {
    const near = CONFIG_KEYS.map((other) => ({ key: other.key, far: distance(key, other.key) })).sort((a, b) => a.far - b.far)[0];
    const hint = near && near.far <= 3 ? `did you mean ${near.key}?` : 'take it out; docs/configuration.md lists all keys.';
    return { path: key, message: `is not a key of this version: ${hint}` };
  });
}

function findUnsafe({ server, database, telemetry, bus }: Fragments, buildTag: Config['buildTag']): Fault[] {
  const faults: Fault[] = [];
  if (server.authMode === 'dev' && buildTag === 'release') {
    faults.push({ path: 'SVC_AUTH_MODE', message: 'dev exists only in a build made with "npm run build:dev"; use session.' });
  }
  for (const [path, url] of [
    ['SVC_DATABASE_URL', database.url],
    ['SVC_DATABASE_OWNER_URL', database.ownerUrl],
  ] as const) {
    if (!url || isPostgresProtected(url.reveal()) || buildTag === 'dev') continue;
    faults.push({
      path,
      message: 'would send data unencrypted over a network: add sslmode=verify-full (or require) to the URL.',
    });
  }
  if (isFleet({ server, database }) && !server.envelopeKey) {
    faults.push({
      path: 'SVC_ENVELOPE_KEY',
      message: 'must be set where members share a database, the same on each; make one with: openssl rand -base64 32',
    });
  }
  if (telemetry.clickhouseUrl && sendsLoginInClear(telemetry.clickhouseUrl.reveal())) {
    faults.push({ path: 'SVC_CLICKHOUSE_URL', message: 'would send user and password unencrypted over a network: use https://' });
  }
  // SCRAM hides the password and not what it protects: records in clear, and a login that anybody between can take over.
  const isRemote = bus.brokers.some(({ host }) => !isLoopback(host));
  if (bus.saslMechanism && isRemote && !usesKafkaTls(bus)) {
    faults.push({
      path: 'SVC_KAFKA_SASL_MECHANISM',
      message: `${bus.saslMechanism} would log in over a network without TLS: set SVC_KAFKA_TLS_ENABLED=true.`,
    });
  }
  return faults;
}

const isFleet = ({ server, database }: Pick<Fragments, 'server' | 'database'>): boolean =>
  database.url !== undefined || server.roles.length < serverKeys.roles.fallback.length;

/** Keys that only make sense together. */
function findIncomplete({ server, tls, database, telemetry, bus, identity, otlp, otlpTokens }: Fragments): Fault[] {
  const faults: Fault[] = [];
  const together = (first: [string, unknown], second: [string, unknown]) => {
    if (first[1] !== undefined && second[1] === undefined)
      faults.push({ path: second[0], message: `must be set together with ${first[0]}` });
  };
  together(['SVC_TLS_CERT_FILE', tls.certFile], ['SVC_TLS_KEY_FILE', tls.keyFile]);
  together(['SVC_TLS_KEY_FILE', tls.keyFile], ['SVC_TLS_CERT_FILE', tls.certFile]);
  together(['SVC_KAFKA_TLS_CERT_FILE', bus.tlsCertFile], ['SVC_KAFKA_TLS_KEY_FILE', bus.tlsKeyFile]);
  together(['SVC_KAFKA_TLS_KEY_FILE', bus.tlsKeyFile], ['SVC_KAFKA_TLS_CERT_FILE', bus.tlsCertFile]);
  together(['SVC_KAFKA_SASL_MECHANISM', bus.saslMechanism], ['SVC_KAFKA_SASL_USERNAME', bus.saslUsername]);
  together(['SVC_KAFKA_SASL_MECHANISM', bus.saslMechanism], ['SVC_KAFKA_SASL_PASSWORD', bus.saslPassword]);
  together(['SVC_KAFKA_SASL_USERNAME', bus.saslUsername], ['SVC_KAFKA_SASL_MECHANISM', bus.saslMechanism]);
  together(['SVC_OIDC_ISSUER', identity.issuer], ['SVC_OIDC_CLIENT_ID', identity.clientId]);
  together(['SVC_OIDC_CLIENT_ID', identity.clientId], ['SVC_OIDC_ISSUER', identity.issuer]);
  together(['SVC_OTLP_TLS_CERT_FILE', otlp.tlsCertFile], ['SVC_OTLP_TLS_KEY_FILE', otlp.tlsKeyFile]);
  together(['SVC_OTLP_TLS_KEY_FILE', otlp.tlsKeyFile], ['SVC_OTLP_TLS_CERT_FILE', otlp.tlsCertFile]);
  // An embedded start makes the pair, and its first token is minted.
  if (isFleet({ server, database })) {
    for (const address of [
      ['SVC_OTLP_GRPC_ADDR', otlp.grpcAddr],
      ['SVC_OTLP_HTTP_ADDR', otlp.httpAddr],
    ] as const) {
      together([...address], ['SVC_OTLP_TLS_CERT_FILE', otlp.tlsCertFile]);
      together([...address], ['SVC_OTLP_TOKENS', otlpTokens.tokens]);
    }
  }
  if (server.roles.length < serverKeys.roles.fallback.length) {
    together(['SVC_ROLES', server.roles], ['SVC_DATABASE_URL', database.url]);
    together(['SVC_ROLES', server.roles], ['SVC_CLICKHOUSE_URL', telemetry.clickhouseUrl]);
    together(['SVC_ROLES', server.roles], ['SVC_KAFKA_BROKERS', bus.brokers.length > 0 ? bus.brokers : undefined]);
  }
  return faults;
}

function findUnreadable(values: Fragments): Fault[] {
  const files = [
    ['SVC_TLS_CERT_FILE', values.tls.certFile],
    ['SVC_TLS_KEY_FILE', values.tls.keyFile],
    ['SVC_CLICKHOUSE_CA_FILE', values.telemetry.clickhouseCaFile],
    ['SVC_KAFKA_TLS_CA_FILE', values.bus.tlsCaFile],
    ['SVC_KAFKA_TLS_CERT_FILE', values.bus.tlsCertFile],
    ['SVC_KAFKA_TLS_KEY_FILE', values.bus.tlsKeyFile],
    ['SVC_OTLP_EXPORT_CA_FILE', values.otlpExport.caFile],
    ['SVC_OTLP_TLS_CERT_FILE', values.otlp.tlsCertFile],
    ['SVC_OTLP_TLS_KEY_FILE', values.otlp.tlsKeyFile],
    ['SVC_OTLP_CLIENT_CA_FILE', values.otlp.clientCaFile],
  ] as const;
  return files.flatMap(([path, file]) => {
    if (!file) return [];
    try {
      accessSync(file, constants.R_OK);
      return [];
    } catch {
      return [{ path, message: `names a file that cannot be read: ${file}` }];
    }
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
 * would wait for those.
 */
export function widenThreadPool(): void {
  process.env.UV_THREADPOOL_SIZE ??= '9';
}

/**
 * Reads and checks everything in one go; AppError `validation` whose faults are all of them, a line each (exit 2). Nothing else in
 * the server reads the environment.
 */
export function loadConfig(env: Environment = process.env, buildTag: Config['buildTag'] = BUILD_TAG): Config {
  const faults: Fault[] = [];
  const read = <K extends keyof Fragments>(name: K) => readFragment(FRAGMENTS[name], env, faults) as Fragments[K];
  const values: Fragments = {
    server: read('server'),
    tls: read('tls'),
    database: read('database'),
    telemetry: read('telemetry'),
    bus: read('bus'),
    identity: read('identity'),
    endpoint: read('endpoint'),
    enrolment: read('enrolment'),
    audit: read('audit'),
    metrics: read('metrics'),
    releases: read('releases'),
    otlp: read('otlp'),
    otlpTokens: read('otlpTokens'),
    otlpStore: read('otlpStore'),
    selfMetrics: read('selfMetrics'),
    otlpExport: read('otlpExport'),
  };
  const dataDir = findDataDir(values.server.dataDir, faults);
  const exportFaults = findExportFaults(values.otlpExport, buildTag);
  const checked = [
    ...findIncomplete(values),
    ...findUnsafe(values, buildTag),
    ...findUnreadable(values),
    ...findUnknown(env),
    ...exportFaults,
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
