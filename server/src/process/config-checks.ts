import { accessSync, constants } from 'node:fs';
import { type ConfigOf, type Fault, isLoopback, isPostgresProtected, sendsLoginInClear } from '#kernel';
import type { outboundKeys } from './outbound-config.ts';
import {
  type busKeys,
  type databaseKeys,
  type identityKeys,
  serverKeys,
  type telemetryKeys,
  type tlsKeys,
  usesKafkaTls,
} from './platform-config.ts';

/** What is checked across fragments. Of slices, whose types nobody here knows, only what it needs. */
interface Checked {
  server: ConfigOf<typeof serverKeys>;
  tls: ConfigOf<typeof tlsKeys>;
  database: ConfigOf<typeof databaseKeys>;
  telemetry: ConfigOf<typeof telemetryKeys>;
  bus: ConfigOf<typeof busKeys>;
  identity: ConfigOf<typeof identityKeys>;
  outbound: ConfigOf<typeof outboundKeys>;
  otlp: {
    tlsCertFile: string | undefined;
    tlsKeyFile: string | undefined;
    clientCaFile: string | undefined;
    grpcAddr: unknown;
    httpAddr: unknown;
  };
  otlpTokens: { tokens: unknown };
  otlpExport: { caFile: string | undefined };
}

/** What a value must not be beside others: plain over a network, or a door of a development build. */
export function findUnsafe({ server, database, telemetry, bus }: Checked, buildTag: 'release' | 'dev'): Fault[] {
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

/** True when other members may share the database. */
export const isFleet = ({ server, database }: Pick<Checked, 'server' | 'database'>): boolean =>
  database.url !== undefined || server.roles.length < serverKeys.roles.fallback.length;

/** Keys that only make sense together. */
export function findIncomplete({ server, tls, database, telemetry, bus, identity, otlp, otlpTokens }: Checked): Fault[] {
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

/** Files that the process may not read. */
export function findUnreadable(values: Checked): Fault[] {
  const files = [
    ['SVC_TLS_CERT_FILE', values.tls.certFile],
    ['SVC_TLS_KEY_FILE', values.tls.keyFile],
    ['SVC_CLICKHOUSE_CA_FILE', values.telemetry.clickhouseCaFile],
    ['SVC_KAFKA_TLS_CA_FILE', values.bus.tlsCaFile],
    ['SVC_KAFKA_TLS_CERT_FILE', values.bus.tlsCertFile],
    ['SVC_KAFKA_TLS_KEY_FILE', values.bus.tlsKeyFile],
    ['SVC_OTLP_EXPORT_CA_FILE', values.otlpExport.caFile],
    ['SVC_OUTBOUND_CA_FILE', values.outbound.caFile],
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
