import 'reflect-metadata';
import { createPrivateKey, randomBytes, randomUUID, sign, webcrypto } from 'node:crypto';
import {
  type ChannelCredentials,
  type ClientDuplexStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
} from '@grpc/grpc-js';
import * as x509 from '@peculiar/x509';
import { type Echo, LINK_TEST_SERVICE, type LoadChunk } from '@svc/contracts/agent/link-test';
import {
  type AgentStatus,
  type BatchAck,
  FLEET_SERVICE,
  RESULTS_SERVICE,
  type ResultBatch,
  type ServerMessage,
} from '@svc/contracts/agent/messages';
import { type IdentityAnswer, renewPayload } from '@svc/contracts/agent/protocol';
import { PROTOCOL_METADATA, RECEIPTS_METADATA } from '@svc/contracts/agent/version';

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A device's key with a request for a certificate, made as a real agent makes them. */
export interface DeviceKey {
  keyPem: string;
  csr: string;
}

export async function makeDeviceKey(algorithm: { name: string; namedCurve: string; hash: string } = P256): Promise<DeviceKey> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    // A name that claims to be somebody else: the server must not copy it.
    name: 'CN=admin',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'url', value: 'spiffe://svc/tenant/other/agent/0' }])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const keyPem = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
  return { keyPem, csr: csr.toString('pem') };
}

/** A renewal as the device with this key signs it. */
export function signRenewal(keyPem: string, agent: { tenant: string; agentId: string }, issuedAtMs: number) {
  const request = {
    agent_id: agent.agentId,
    tenant_id: agent.tenant,
    protocol: 1,
    issued_at: new Date(issuedAtMs).toISOString(),
    nonce: randomBytes(16).toString('hex'),
  };
  const key = { key: createPrivateKey(keyPem), dsaEncoding: 'ieee-p1363' as const };
  return { ...request, signature: sign('sha256', Buffer.from(renewPayload(request)), key).toString('base64') };
}

export const channelCredentials = (ca: string, keyPem: string, chain: string): ChannelCredentials =>
  credentials.createSsl(Buffer.from(ca), Buffer.from(keyPem), Buffer.from(chain));

export const deviceCredentials = (identity: IdentityAnswer, keyPem: string): ChannelCredentials =>
  channelCredentials(identity.grpc_ca, keyPem, identity.chain);

const FleetClient = makeGenericClientConstructor(FLEET_SERVICE, 'Fleet');
const LinkTestClient = makeGenericClientConstructor(LINK_TEST_SERVICE, 'LinkTest');
const ResultsClient = makeGenericClientConstructor(RESULTS_SERVICE, 'Results');

/** What one stream gave until it ended: messages, and its end as `OK` or a status with our code. */
export interface StreamLog<T> {
  messages: T[];
  /** Resolves with gRPC's code and our `svc-error-code`, 0 for a clean end. */
  ended: Promise<{ code: number; appCode: string | undefined; details: string }>;
  next(count: number): Promise<T[]>;
  /** Ends our half, waits for the server's and closes the connection. */
  stop(): Promise<void>;
  close(): void;
}

export interface DeviceStream<Sent, Received> extends StreamLog<Received> {
  stream: ClientDuplexStream<Sent, Received>;
}

function watch<Sent, Received>(stream: ClientDuplexStream<Sent, Received>, close: () => void): DeviceStream<Sent, Received> {
  const messages: Received[] = [];
  const waiting: { count: number; resolve: (all: Received[]) => void; reject: (error: Error) => void }[] = [];
  const ended = Promise.withResolvers<{ code: number; appCode: string | undefined; details: string }>();
  const settle = () => {
    for (const one of waiting) if (messages.length >= one.count) one.resolve(messages);
  };
  stream.on('data', (message: Received) => {
    messages.push(message);
    settle();
  });
  stream.on('error', () => {});
  stream.on('status', ({ code, metadata, details }) => {
    ended.resolve({ code, appCode: metadata.get('svc-error-code')[0]?.toString(), details });
    for (const one of waiting) one.reject(new Error(`the stream ended with ${code} ${details}`));
  });
  return {
    stream,
    messages,
    ended: ended.promise,
    next: async (count) => {
      if (messages.length >= count) return messages;
      return await new Promise((resolve, reject) => waiting.push({ count, resolve, reject }));
    },
    async stop() {
      stream.end();
      await ended.promise;
      close();
    },
    close,
  };
}

export interface DeviceOptions {
  address: string;
  credentials: ChannelCredentials;
  protocol?: number;
  /** Asks for receipts of its statuses. */
  keepsReceipts?: boolean;
}

const metadataOf = ({ protocol, keepsReceipts }: DeviceOptions): Metadata => {
  const metadata = new Metadata();
  metadata.set(PROTOCOL_METADATA, String(protocol ?? 1));
  if (keepsReceipts) metadata.set(RECEIPTS_METADATA, '1');
  return metadata;
};

/** Opens the Fleet stream of a device. */
export function openConnect(options: DeviceOptions): DeviceStream<AgentStatus, ServerMessage> {
  const client = new FleetClient(options.address, options.credentials);
  const stream = client.connect?.(metadataOf(options)) as ClientDuplexStream<AgentStatus, ServerMessage>;
  return watch(stream, () => client.close());
}

/** Opens the Results stream of a device. */
export function openPublish(options: DeviceOptions): DeviceStream<ResultBatch, BatchAck> {
  const client = new ResultsClient(options.address, options.credentials);
  const stream = client.publish?.(metadataOf(options)) as ClientDuplexStream<ResultBatch, BatchAck>;
  return watch(stream, () => client.close());
}

/** Opens a stream of a device's test of its line. */
export function openLoad(options: DeviceOptions): DeviceStream<LoadChunk, LoadChunk> {
  const client = new LinkTestClient(options.address, options.credentials);
  return watch(client.load?.(metadataOf(options)) as ClientDuplexStream<LoadChunk, LoadChunk>, () => client.close());
}

export function openEcho(options: DeviceOptions): DeviceStream<Echo, Echo> {
  const client = new LinkTestClient(options.address, options.credentials);
  return watch(client.echo?.(metadataOf(options)) as ClientDuplexStream<Echo, Echo>, () => client.close());
}

export const makeStatus = (part: Partial<AgentStatus> = {}): AgentStatus => ({
  state: 'running',
  paused_until_ms: 0,
  agent_version: '0.1.0',
  os: 'linux',
  os_version: 'Debian 12',
  arch: 'x64',
  model: 'Test device',
  policy_version: 0,
  spool_results: 0,
  spool_dropped: 0,
  device_name: `device-${randomUUID().slice(0, 8)}`,
  clock_ms: Date.now(),
  disclosure_shown_at: new Date().toISOString(),
  simulated: false,
  ...part,
});
