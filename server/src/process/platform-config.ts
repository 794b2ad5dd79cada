import { ROLES as ROLE_WORDS, type Role } from '@svc/contracts/permissions';
import {
  configKey,
  isTenantId,
  parseBoolean,
  parseEmail,
  parseHost,
  parseHostPort,
  parseHttpsOrigin,
  parseInteger,
  parseKey32,
  parseList,
  parseNetwork,
  parseOneOf,
  parseText,
  parseUrl,
  secretKey,
  type TenantId,
} from '#kernel';

const path = parseText(4096);
const ROLES = ['api', 'ingest', 'consume', 'evaluate'] as const;

/** Where this process listens, keeps its files and is reached. */
export const serverKeys = {
  listenAddr: configKey({
    key: 'SVC_LISTEN_ADDR',
    parse: parseHostPort,
    fallback: { host: '0.0.0.0', port: 8443 },
    defaultText: '0.0.0.0:8443',
    doc: 'Address of console, API and ingest (HTTPS only).',
  }),
  agentGrpcAddr: configKey({
    key: 'SVC_AGENT_GRPC_ADDR',
    parse: parseHostPort,
    fallback: { host: '0.0.0.0', port: 8444 },
    defaultText: '0.0.0.0:8444',
    doc: 'Address of the listener for agents (gRPC, mutual TLS).',
  }),
  dataDir: configKey({
    key: 'SVC_DATA_DIR',
    parse: path,
    defaultText: '`data/` of the checkout, `/var/lib/svc` when installed',
    doc: 'Folder for everything this process keeps, mode 0700.',
  }),
  publicUrl: configKey({
    key: 'SVC_PUBLIC_URL',
    parse: parseHttpsOrigin,
    defaultText: 'https://localhost with the port of SVC_LISTEN_ADDR',
    doc: 'Origin at which people open the console; page loads by another name are redirected there once it is set.',
  }),
  agentPublicAddr: configKey({
    key: 'SVC_AGENT_PUBLIC_ADDR',
    parse: parseHostPort,
    defaultText: 'an address of this host with the port of SVC_AGENT_GRPC_ADDR',
    doc: 'host:port at which agents reach their listener.',
  }),
  trustedProxies: configKey({
    key: 'SVC_TRUSTED_PROXIES',
    parse: parseList(parseNetwork, 100),
    fallback: [],
    doc: 'Addresses or networks of proxies whose X-Forwarded-* headers are believed and that are exempt from limits per address, comma-separated.',
  }),
  roles: configKey({
    key: 'SVC_ROLES',
    parse: parseList(parseOneOf(ROLES)),
    fallback: ROLES,
    defaultText: 'all of them',
    doc: 'What this member of a fleet does: api, ingest, consume, evaluate.',
  }),
  envelopeKey: secretKey({
    key: 'SVC_ENVELOPE_KEY',
    parse: parseKey32,
    defaultText: 'generated on the first start into `keys/envelope.key`',
    doc: 'Base64 of the 32-byte key that encrypts what must rest encrypted; a fleet has to set it.',
  }),
  authMode: configKey({
    key: 'SVC_AUTH_MODE',
    parse: parseOneOf(['session', 'dev']),
    fallback: 'session' as const,
    defaultText: 'session',
    doc: 'How people are authenticated; `dev` (nobody is) exists only in a build with the dev tag.',
  }),
  securityContact: configKey({
    key: 'SVC_SECURITY_CONTACT',
    parse: parseEmail,
    doc: 'Mailbox named in /.well-known/security.txt.',
  }),
  apiRatePerMin: configKey({
    key: 'SVC_API_RATE_PER_MIN',
    parse: parseInteger(0, 1_000_000),
    fallback: 600,
    defaultText: '600',
    doc: 'API requests per minute for each principal, and for each address without a valid credential; ten times as many for a tenant. 0 disables the bounds.',
  }),
  drainGraceSeconds: configKey({
    key: 'SVC_DRAIN_GRACE_SECONDS',
    parse: parseInteger(0, 300),
    fallback: 5,
    defaultText: '5; 0 under `npm start`',
    doc: 'Seconds at a stop in which /readyz says 503 and the console and API are still served, so that load balancers turn away.',
  }),
  logLevel: configKey({
    key: 'SVC_LOG_LEVEL',
    parse: parseOneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    fallback: 'info' as const,
    defaultText: 'info',
    doc: 'Least severe level that is logged (JSON lines on standard output).',
  }),
};

export const tlsKeys = {
  certFile: configKey({
    key: 'SVC_TLS_CERT_FILE',
    parse: path,
    defaultText: 'a certificate of a local authority, created automatically',
    doc: 'PEM certificate chain of all listeners; enrol tokens then carry no pin.',
  }),
  keyFile: configKey({ key: 'SVC_TLS_KEY_FILE', parse: path, doc: 'PEM private key of SVC_TLS_CERT_FILE.' }),
  hosts: configKey({
    key: 'SVC_TLS_HOSTS',
    parse: parseList(parseHost, 100),
    fallback: [],
    defaultText: "localhost, the host's name and its addresses",
    doc: 'Host names and addresses that the self-signed certificate covers.',
  }),
};

export const databaseKeys = {
  url: secretKey({
    key: 'SVC_DATABASE_URL',
    parse: parseUrl('postgres', 'postgresql'),
    defaultText: 'an embedded PostgreSQL',
    doc: 'PostgreSQL of a fleet, as the role svc_app or a member of it; needs sslmode=verify-full (or require) unless it is on this machine.',
  }),
  ownerUrl: secretKey({
    key: 'SVC_DATABASE_OWNER_URL',
    parse: parseUrl('postgres', 'postgresql'),
    doc: 'The same database as its owner, for `svc migrate` only.',
  }),
  poolSize: configKey({
    key: 'SVC_DATABASE_POOL_SIZE',
    parse: parseInteger(2, 500),
    fallback: 10,
    defaultText: '10',
    doc: 'Connections of this process to PostgreSQL at most.',
  }),
};

export const telemetryKeys = {
  clickhouseUrl: secretKey({
    key: 'SVC_CLICKHOUSE_URL',
    parse: parseUrl('http', 'https'),
    defaultText: 'an embedded ClickHouse (chDB)',
    doc: 'ClickHouse server, with user and password: https://user:password@host:8443/database; http only to this machine. Required where chDB has no build (Windows, musl).',
  }),
  clickhouseCaFile: configKey({
    key: 'SVC_CLICKHOUSE_CA_FILE',
    parse: path,
    defaultText: "the system's authorities",
    doc: "PEM authorities that ClickHouse's certificate is checked with.",
  }),
};

export const busKeys = {
  brokers: configKey({
    key: 'SVC_KAFKA_BROKERS',
    parse: parseList(parseHostPort, 100),
    fallback: [],
    defaultText: 'an embedded log in the data directory',
    doc: 'Kafka brokers, host:port, comma-separated.',
  }),
  tlsEnabled: configKey({
    key: 'SVC_KAFKA_TLS_ENABLED',
    parse: parseBoolean,
    fallback: false,
    defaultText: 'false',
    doc: 'TLS to the brokers, their certificates checked.',
  }),
  tlsCaFile: configKey({ key: 'SVC_KAFKA_TLS_CA_FILE', parse: path, doc: 'PEM authorities for the brokers; implies TLS.' }),
  tlsCertFile: configKey({ key: 'SVC_KAFKA_TLS_CERT_FILE', parse: path, doc: 'PEM client certificate for the brokers.' }),
  tlsKeyFile: configKey({ key: 'SVC_KAFKA_TLS_KEY_FILE', parse: path, doc: 'PEM key of SVC_KAFKA_TLS_CERT_FILE.' }),
  saslMechanism: configKey({
    key: 'SVC_KAFKA_SASL_MECHANISM',
    parse: parseOneOf(['plain', 'scram-sha-256', 'scram-sha-512']),
    doc: 'SASL mechanism: plain, scram-sha-256 or scram-sha-512; needs TLS unless the brokers are on this machine.',
  }),
  saslUsername: configKey({ key: 'SVC_KAFKA_SASL_USERNAME', parse: parseText(256), doc: 'SASL user name for the brokers.' }),
  saslPassword: secretKey({ key: 'SVC_KAFKA_SASL_PASSWORD', parse: parseText(1024), doc: 'SASL password for the brokers.' }),
  logMaxBytes: configKey({
    key: 'SVC_BUS_LOG_MAX_BYTES',
    parse: parseInteger(64 * 1024 ** 2, 1024 ** 4),
    fallback: 2 * 1024 ** 3,
    defaultText: '2147483648 (2 GiB)',
    doc: 'Bytes on disk that the embedded bus may take before it refuses new results.',
  }),
};

/** TLS is spoken to the brokers as soon as any of its keys is set. */
export const usesKafkaTls = (bus: {
  tlsEnabled: boolean;
  tlsCaFile?: string | undefined;
  tlsCertFile?: string | undefined;
}): boolean => bus.tlsEnabled || bus.tlsCaFile !== undefined || bus.tlsCertFile !== undefined;

function parseGroupRole(text: string): { group: string; role: Role } {
  const at = text.lastIndexOf('=');
  const role = ROLE_WORDS.find((known) => known === text.slice(at + 1).trim());
  if (at < 1 || !role) throw new Error(`must be <group>=<role> with a role of ${ROLE_WORDS.join(', ')}`);
  return { group: text.slice(0, at).trim(), role };
}

/** A group may come more than once. */
function parseGroupRoles(text: string): ReadonlyMap<string, readonly Role[]> {
  const roles = new Map<string, Role[]>();
  for (const { group, role } of parseList(parseGroupRole)(text)) roles.set(group, [...(roles.get(group) ?? []), role]);
  return roles;
}

function parseTenant(text: string): TenantId {
  if (!isTenantId(text)) throw new Error('must be 1 to 63 characters of a-z, 0-9 and "-"');
  return text;
}

export const identityKeys = {
  issuer: configKey({
    key: 'SVC_OIDC_ISSUER',
    parse: parseUrl('https'),
    defaultText: 'a built-in issuer',
    doc: 'OpenID Connect issuer that people sign in with.',
  }),
  clientId: configKey({ key: 'SVC_OIDC_CLIENT_ID', parse: parseText(512), doc: 'Client id registered at SVC_OIDC_ISSUER.' }),
  clientSecret: secretKey({
    key: 'SVC_OIDC_CLIENT_SECRET',
    parse: parseText(1024),
    doc: 'Client secret registered at SVC_OIDC_ISSUER; absent for a public client.',
  }),
  tenant: configKey({
    key: 'SVC_OIDC_TENANT',
    parse: parseTenant,
    fallback: parseTenant('default'),
    defaultText: 'default',
    doc: 'Tenant of which a new person becomes a member without roles.',
  }),
  groupRoles: configKey({
    key: 'SVC_OIDC_GROUP_ROLES',
    parse: parseGroupRoles,
    fallback: new Map(),
    doc: 'Roles by group of the identity provider: <group>=<role>, comma-separated.',
  }),
  bootstrapAdmin: configKey({
    key: 'SVC_BOOTSTRAP_ADMIN',
    parse: parseEmail,
    doc: 'Verified e-mail that becomes admin of the first tenant at its first sign-in with SVC_OIDC_ISSUER.',
  }),
};

/** What an agent is asked to measure until a tenant has a policy of its own; on an agent the same keys are its own list. */
export const endpointKeys = {
  traceTargets: configKey({
    key: 'SVC_ENDPOINT_TRACE_TARGETS',
    parse: parseList(parseHost, 8),
    fallback: [],
    doc: 'Hosts that devices trace until the tenant chooses others, comma-separated, at most 8.',
  }),
  sessionTargets: configKey({
    key: 'SVC_ENDPOINT_SESSION_TARGETS',
    parse: parseList(parseUrl('https', 'http'), 32),
    fallback: [],
    doc: 'http or https URLs whose sessions devices time until the tenant chooses others, comma-separated, at most 32.',
  }),
};
