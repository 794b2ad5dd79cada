import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { FastifyBaseLogger } from 'fastify';
import kafkajs, { type Kafka, type SASLOptions } from 'kafkajs';

// kafkajs is CommonJS whose names Node cannot see from an import.
const { CompressionCodecs, CompressionTypes, logLevel } = kafkajs;

export interface KafkaLogin {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

export interface KafkaAddress {
  /** host:port of the brokers asked first. */
  brokers: readonly string[];
  clientId: string;
  /** PEM texts; an empty object is TLS by the system's authorities, undefined is no TLS. */
  tls?: { ca?: string; cert?: string; key?: string };
  sasl?: KafkaLogin;
}

const compress = promisify(zstdCompress) as (bytes: Buffer, options: object) => Promise<Buffer>;
const decompress = promisify(zstdDecompress) as (bytes: Buffer, options: object) => Promise<Buffer>;

/** What a batch may become when decompressed: several times the broker's bound, and never a bomb. */
const MAX_BATCH_BYTES = 256 * 1024 * 1024;

// kafkajs knows gzip only; its registry of codecs is global to the process.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: (encoder: { buffer: Buffer }) => compress(encoder.buffer, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  decompress: (bytes: Buffer) => decompress(bytes, { maxOutputLength: MAX_BATCH_BYTES }),
});

/** kafkajs reports as errors what it then retries: ours are one step milder. */
const LEVELS = {
  [logLevel.ERROR]: 'warn',
  [logLevel.WARN]: 'info',
  [logLevel.INFO]: 'debug',
  [logLevel.DEBUG]: 'trace',
} as const;

/** The client of one cluster: up to 30 tries, 100 ms doubling to 2 s. `onTrouble` hears why a try failed. */
export function createKafka(address: KafkaAddress, log: FastifyBaseLogger, onTrouble: (words: string) => void): Kafka {
  return new kafkajs.Kafka({
    brokers: [...address.brokers],
    clientId: address.clientId,
    ...(address.tls ? { ssl: { ...address.tls, rejectUnauthorized: true } } : {}),
    ...(address.sasl ? { sasl: address.sasl as SASLOptions } : {}),
    connectionTimeout: 2000,
    authenticationTimeout: 5000,
    requestTimeout: 15_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 30 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => {
      const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...rest } = entry.log;
      if (entry.level === logLevel.ERROR) onTrouble([message, rest.error].filter(Boolean).join(': '));
      log[LEVELS[entry.level as keyof typeof LEVELS] ?? 'debug']({ ...rest, kafka: entry.namespace }, `kafka: ${message}`);
    },
  });
}
