import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { type Bus, createKafkaBus, type KafkaBusOptions } from '#bus';
import { formatHostPort } from '#kernel';
import type { Config } from '../config.ts';
import { usesKafkaTls } from '../process/platform-config.ts';

function readTls(bus: Config['bus']): KafkaBusOptions['tls'] {
  if (!usesKafkaTls(bus)) return undefined;
  return {
    ...(bus.tlsCaFile ? { ca: readFileSync(bus.tlsCaFile, 'utf8') } : {}),
    ...(bus.tlsCertFile ? { cert: readFileSync(bus.tlsCertFile, 'utf8') } : {}),
    ...(bus.tlsKeyFile ? { key: readFileSync(bus.tlsKeyFile, 'utf8') } : {}),
  };
}

function readLogin({ saslMechanism, saslUsername, saslPassword }: Config['bus']): KafkaBusOptions['sasl'] {
  if (!saslMechanism || !saslUsername || !saslPassword) return undefined;
  return { mechanism: saslMechanism, username: saslUsername, password: saslPassword.reveal() };
}

/** The bus of a fleet, by SVC_KAFKA_*; AppError `unavailable` that names the brokers when none answers. */
export async function openKafka({ bus }: Pick<Config, 'bus'>, log: FastifyBaseLogger): Promise<Bus> {
  const tls = readTls(bus);
  const sasl = readLogin(bus);
  return await createKafkaBus({
    brokers: bus.brokers.map(formatHostPort),
    clientId: `svc-${hostname()}`,
    topics: Object.values(TOPICS),
    log,
    ...(tls ? { tls } : {}),
    ...(sasl ? { sasl } : {}),
  });
}
