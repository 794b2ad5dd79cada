import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AppError, type Fault } from '#kernel';
import { CONFIG_KEYS, loadConfig } from './config.ts';

function faultsOf(env: Record<string, string>, buildTag: 'release' | 'dev' = 'release'): readonly Fault[] {
  try {
    loadConfig(env, buildTag);
    return [];
  } catch (error) {
    if (error instanceof AppError) return error.faults;
    throw error;
  }
}

const key = Buffer.alloc(32, 9).toString('base64');
const database = 'postgres://svc_app:hidden@db.example/svc?sslmode=verify-full';

test('an empty environment is a whole configuration, frozen', () => {
  const config = loadConfig({}, 'release');
  expect(config.server.listenAddr).toEqual({ host: '0.0.0.0', port: 8443 });
  expect(config.server.roles).toEqual(['api', 'ingest', 'consume', 'evaluate']);
  expect(config.publicUrl).toBe('https://localhost:8443');
  expect(config.dataDir).toMatch(/\/data$/);
  expect(config.fleet).toBe(false);
  expect(Object.isFrozen(config) && Object.isFrozen(config.server)).toBe(true);
});

test('every fault is reported in one go', () => {
  const faults = faultsOf({
    SVC_LISTEN_ADDR: '8443',
    SVC_PUBLIC_URL: 'http://x',
    SVC_API_RATE_PER_MIN: '-1',
    SVC_ROLES: 'api,cook',
    SVC_ENVELOPE_KEY: 'short',
    SVC_TLS_CERT_FILE: '/nowhere/cert.pem',
    SVC_LISTEN_ADR: 'x',
    SVC_OIDC_ISSUER: 'https://id.example',
  });
  expect(faults.map(({ path }) => path).sort()).toEqual([
    'SVC_API_RATE_PER_MIN',
    'SVC_ENVELOPE_KEY',
    'SVC_LISTEN_ADDR',
    'SVC_LISTEN_ADR',
    'SVC_OIDC_CLIENT_ID',
    'SVC_PUBLIC_URL',
    'SVC_ROLES',
    'SVC_TLS_CERT_FILE',
    'SVC_TLS_KEY_FILE',
  ]);
  const byPath = new Map(faults.map(({ path, message }) => [path, message]));
  expect(byPath.get('SVC_LISTEN_ADR')).toContain('did you mean SVC_LISTEN_ADDR?');
  expect(byPath.get('SVC_ROLES')).toBe('entry 2: must be one of api, ingest, consume, evaluate');
  expect(byPath.get('SVC_TLS_CERT_FILE')).toContain('/nowhere/cert.pem');
});

test('keys of the agent and of tests are left alone', () => {
  expect(
    faultsOf({ SVC_TEST_ELECTRON_DIST: '/x', SVC_AGENT_STATE_DIR: '/x', SVC_ENDPOINT_PRIVACY: 'strict', PATH: '/bin' }),
  ).toEqual([]);
});

describe('unsafe combinations stop the start', () => {
  test('no authentication on a release build', () => {
    expect(faultsOf({ SVC_AUTH_MODE: 'dev' })).toMatchObject([{ path: 'SVC_AUTH_MODE' }]);
    expect(faultsOf({ SVC_AUTH_MODE: 'dev' }, 'dev')).toEqual([]);
  });

  test('a database over a network without TLS', () => {
    for (const url of [
      'postgres://u:p@db.example/svc',
      'postgres://u:p@db.example/svc?sslmode=prefer',
      'postgres://u:p@10.0.0.1/svc?sslmode=no-verify',
    ])
      expect(faultsOf({ SVC_DATABASE_URL: url, SVC_ENVELOPE_KEY: key }), url).toMatchObject([{ path: 'SVC_DATABASE_URL' }]);
    for (const url of [
      database,
      'postgres://u:p@127.0.0.1/svc',
      'postgres://u:p@localhost/svc',
      'postgres://u:p@[::1]/svc',
      'postgres://u:p@x/svc?host=/run/postgresql',
    ])
      expect(faultsOf({ SVC_DATABASE_URL: url, SVC_ENVELOPE_KEY: key }), url).toEqual([]);
    expect(faultsOf({ SVC_DATABASE_OWNER_URL: 'postgres://u:p@db.example/svc' })).toMatchObject([
      { path: 'SVC_DATABASE_OWNER_URL' },
    ]);
  });

  test('a shared database without a shared envelope key', () => {
    expect(faultsOf({ SVC_DATABASE_URL: database })).toMatchObject([{ path: 'SVC_ENVELOPE_KEY' }]);
  });

  test('some of the roles on stores that nobody shares', () => {
    const paths = faultsOf({ SVC_ROLES: 'api', SVC_ENVELOPE_KEY: key }).map(({ path }) => path);
    expect(paths).toEqual(['SVC_DATABASE_URL', 'SVC_CLICKHOUSE_URL', 'SVC_KAFKA_BROKERS']);
  });

  test('an OTLP address of a fleet without a TLS pair and tokens; an embedded start makes its own', () => {
    const address = { SVC_OTLP_GRPC_ADDR: '0.0.0.0:4317' };
    expect(faultsOf(address)).toEqual([]);
    const fleet = { ...address, SVC_DATABASE_URL: database, SVC_ENVELOPE_KEY: key };
    expect(faultsOf(fleet).map(({ path }) => path)).toEqual(['SVC_OTLP_TLS_CERT_FILE', 'SVC_OTLP_TOKENS']);
    const files = { SVC_OTLP_TLS_CERT_FILE: import.meta.filename, SVC_OTLP_TLS_KEY_FILE: import.meta.filename };
    expect(faultsOf({ ...fleet, ...files, SVC_OTLP_TOKENS: 'token=acme' })).toEqual([]);
    expect(faultsOf({ SVC_OTLP_TLS_CERT_FILE: import.meta.filename })).toMatchObject([{ path: 'SVC_OTLP_TLS_KEY_FILE' }]);
  });

  test.each(['plain', 'scram-sha-256', 'scram-sha-512'])('a Kafka login by %s over a network without TLS', (mechanism) => {
    const env = {
      SVC_KAFKA_BROKERS: '127.0.0.1:9092,k.example:9092',
      SVC_KAFKA_SASL_MECHANISM: mechanism,
      SVC_KAFKA_SASL_USERNAME: 'u',
      SVC_KAFKA_SASL_PASSWORD: 'p',
    };
    expect(faultsOf(env)).toMatchObject([
      { path: 'SVC_KAFKA_SASL_MECHANISM', message: expect.stringContaining('set SVC_KAFKA_TLS_ENABLED=true') },
    ]);
    expect(faultsOf({ ...env, SVC_KAFKA_TLS_ENABLED: 'true' })).toEqual([]);
    expect(faultsOf({ ...env, SVC_KAFKA_TLS_CA_FILE: import.meta.filename })).toEqual([]);
    expect(faultsOf({ ...env, SVC_KAFKA_BROKERS: 'localhost:9092,127.0.0.1:9093,[::1]:9094' })).toEqual([]);
  });

  test('a ClickHouse password over a network without TLS', () => {
    for (const url of [
      'http://u:p@ch.example:8123/svc',
      'http://u@10.0.0.1:8123/svc',
      'http://:p@ch.example/svc',
      'http://ch.example/svc?password=p',
    ])
      expect(faultsOf({ SVC_CLICKHOUSE_URL: url }), url).toMatchObject([
        { path: 'SVC_CLICKHOUSE_URL', message: expect.stringContaining('use https://') },
      ]);
    for (const url of [
      'https://u:p@ch.example:8443/svc',
      'http://u:p@127.0.0.1:8123/svc',
      'http://u:p@localhost:8123/svc',
      'http://u:p@[::1]:8123/svc',
      'http://ch.example:8123/svc',
    ])
      expect(faultsOf({ SVC_CLICKHOUSE_URL: url }), url).toEqual([]);
  });

  test.each([
    ['SVC_OIDC_ISSUER', { SVC_OIDC_ISSUER: 'http://id.example', SVC_OIDC_CLIENT_ID: 'svc', SVC_OIDC_CLIENT_SECRET: 'p' }],
    ['SVC_PUBLIC_URL', { SVC_PUBLIC_URL: 'http://svc.example' }],
    ['SVC_OTLP_EXPORT_URL', { SVC_OTLP_EXPORT_URL: 'http://collector.example:4317', SVC_OTLP_EXPORT_TOKEN: 'p' }],
    ['SVC_DATABASE_OWNER_URL', { SVC_DATABASE_OWNER_URL: 'postgres://u:p@db.example/svc' }],
    // The driver believes the last one.
    ['SVC_DATABASE_OWNER_URL', { SVC_DATABASE_OWNER_URL: 'postgres://u:p@db.example/svc?sslmode=require&sslmode=disable' }],
    ['SVC_DATABASE_OWNER_URL', { SVC_DATABASE_OWNER_URL: 'postgres://u:p@localhost/svc?host=%2Frun&host=db.example' }],
  ])('a credential sent in clear by %s', (path, env) => {
    expect(faultsOf(env)).toMatchObject([{ path }]);
  });
});

test('a secret is never printed, neither from the configuration nor in a fault', () => {
  const config = loadConfig(
    { SVC_DATABASE_URL: database, SVC_ENVELOPE_KEY: key, SVC_CLICKHOUSE_URL: 'https://u:hidden@ch' },
    'release',
  );
  for (const text of [
    inspect(config, { depth: 9 }),
    JSON.stringify(config),
    String(config.database.url),
    `${config.server.envelopeKey}`,
  ]) {
    expect(text).not.toContain('hidden');
    expect(text).not.toContain(key);
  }
  expect(config.database.url?.reveal()).toBe(database);
  expect(config.server.envelopeKey?.reveal()).toHaveLength(32);
  const faults = faultsOf({ SVC_DATABASE_URL: 'hidden', SVC_ENVELOPE_KEY: 'hidden', SVC_CLICKHOUSE_URL: 'ftp://hidden' });
  expect(faults).toHaveLength(3);
  expect(JSON.stringify(faults)).not.toContain('hidden');
});

test('lists, networks and group roles are parsed', () => {
  const config = loadConfig(
    {
      SVC_TRUSTED_PROXIES: '10.0.0.0/8, ::1,',
      SVC_KAFKA_BROKERS: 'a:1,[::1]:2',
      SVC_OIDC_GROUP_ROLES: 'ops=operator,ops=viewer,cn=x=admin',
      SVC_OIDC_ISSUER: 'https://id.example/',
      SVC_OIDC_CLIENT_ID: 'svc',
    },
    'release',
  );
  expect(config.server.trustedProxies).toEqual(['10.0.0.0/8', '::1']);
  expect(config.bus.brokers).toEqual([
    { host: 'a', port: 1 },
    { host: '::1', port: 2 },
  ]);
  expect([...config.identity.groupRoles]).toEqual([
    ['ops', ['operator', 'viewer']],
    ['cn=x', ['admin']],
  ]);
  expect(config.identity.issuer).toBe('https://id.example');
});

test('every key is documented once, in a sentence', () => {
  expect(new Set(CONFIG_KEYS.map(({ key: name }) => name)).size).toBe(CONFIG_KEYS.length);
  for (const { key: name, doc } of CONFIG_KEYS) {
    expect(name).toMatch(/^SVC_[A-Z0-9_]+$/);
    expect(doc, name).toMatch(/^.{20,}\.$/);
  }
});
