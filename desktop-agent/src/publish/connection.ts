import { Client, credentials as grpcCredentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { type AgentStatus, agentStatus, type BatchAck, type ServerMessage } from '@svc/contracts/agent/messages';
import { PROTOCOL_METADATA, RECEIPTS_METADATA } from '@svc/contracts/agent/version';
import type { Credentials } from '../identity/identity.ts';
import { AGENT_METHODS } from './batch-codec.ts';
import { type Ending, endingOf } from './ending.ts';
import { type PublishDeps, startPublishing } from './publish-stream.ts';

export interface ConnectionDeps extends PublishDeps {
  protocol: number;
  compress: boolean;
  statusIntervalMs: number;
  status(): AgentStatus;
  onMessage(message: ServerMessage): void;
  /** The server answered something: it takes us. */
  onAccepted(): void;
  /** PEM; what proves a server whose identity names the system's roots. Undefined: Node's own. */
  roots?: readonly string[] | undefined;
}

export interface Connection {
  /** Results were appended: send them. */
  pump(): void;
  /** The status changed: tell it. */
  tell(): void;
  /** Ends it; `ended` then resolves with `stopped`. */
  stop(): void;
  ended: Promise<Ending>;
}

/** zlib's own frame is 12 bytes shorter than gzip's, and these messages are small. */
const DEFLATE = 1;
const LAST_ACK_MS = 1000;
/** Beats at which the status is told whatever else is sent: what waits and the clock are in it. */
const STATUS_AT_LEAST_EACH = 5;

/** An empty buffer would be a list of no authority, which trusts nobody; null are Node's own roots. */
const authoritiesOf = ({ grpcTrust, grpcCa }: Credentials['identity'], roots: ConnectionDeps['roots']): Buffer | null => {
  if (grpcTrust !== 'system') return Buffer.from(grpcCa);
  return roots === undefined ? null : Buffer.from(roots.join('\n'));
};

/** Connects at its first call, over a connection of its own. */
export function createClient(
  { identity, keyPem }: Credentials,
  { compress, roots, windowBytes }: Pick<ConnectionDeps, 'compress' | 'roots'> & { windowBytes?: number },
): Client {
  const ssl = grpcCredentials.createSsl(authoritiesOf(identity, roots), Buffer.from(keyPem), Buffer.from(identity.chain));
  return new Client(identity.grpcAddr, ssl, {
    // Many agents live in one process of the simulator, each with a certificate of its own.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.keepalive_time_ms': 120_000,
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.initial_reconnect_backoff_ms': 1000,
    ...(windowBytes === undefined ? {} : { 'grpc-node.flow_control_window': windowBytes }),
    ...(compress ? { 'grpc.default_compression_algorithm': DEFLATE } : {}),
  });
}

function openStreams(client: Client, protocol: number) {
  const metadata = new Metadata();
  metadata.set(PROTOCOL_METADATA, String(protocol));
  const receipted = metadata.clone();
  receipted.set(RECEIPTS_METADATA, '1');
  const { publish, connect } = AGENT_METHODS;
  return {
    // First opened, first sent: the status goes before results, as the ledger has it.
    fleet: client.makeBidiStreamRequest<Buffer, ServerMessage>(
      connect.path,
      connect.requestSerialize,
      connect.responseDeserialize,
      receipted,
    ),
    results: client.makeBidiStreamRequest<Buffer, BatchAck>(
      publish.path,
      publish.requestSerialize,
      publish.responseDeserialize,
      metadata,
    ),
  };
}

/** One life of a connection: both streams over mutual TLS; when either ends, both do. Never throws; `ended` says why. */
export function openConnection(credentials: Credentials, deps: ConnectionDeps): Connection {
  const client = createClient(credentials, deps);
  const { results, fleet } = openStreams(client, deps.protocol);
  const over = Promise.withResolvers<Ending>();
  // Results are a sign of life too, so that a status beside each batch would only cost bytes.
  let [beats, hasSent] = [0, false];
  const publishing = startPublishing(results, {
    ...deps,
    onSending(message) {
      hasSent = true;
      deps.onSending?.(message);
    },
  });
  let open = true;
  const tell = (): void => {
    if (!open) return;
    const status = deps.status();
    const bytes = agentStatus.encode(status);
    deps.onSending?.({ kind: 'status', bytes, status });
    fleet.write(bytes);
  };
  const beat = setInterval(() => {
    beats += 1;
    if (!hasSent || beats % STATUS_AT_LEAST_EACH === 0) tell();
    hasSent = false;
  }, deps.statusIntervalMs);
  const finish = (ending: Ending): void => {
    if (!open) return;
    open = false;
    clearInterval(beat);
    results.cancel();
    fleet.cancel();
    client.close();
    publishing.stop().then(() => over.resolve(ending));
  };
  for (const stream of [results, fleet]) {
    stream.on('error', (error: ServiceError) => finish(endingOf(error)));
    stream.on('end', () => {
      // The status follows; without an error it is OK: the server drains.
      setImmediate(() => finish({ kind: 'drained', message: 'the server ended the stream' }));
    });
    stream.on('data', deps.onAccepted);
  }
  fleet.on('data', deps.onMessage);
  publishing.failed.then((error) => finish({ kind: 'network', message: error.message }));
  // What is under way gets a moment to be acknowledged: it would only travel a second time.
  const stop = (): void => {
    const late = setTimeout(() => finish({ kind: 'stopped', message: 'stopped' }), LAST_ACK_MS);
    publishing.halt().then(() => {
      clearTimeout(late);
      finish({ kind: 'stopped', message: 'stopped' });
    });
  };
  tell();
  publishing.pump();
  return { pump: publishing.pump, tell, stop, ended: over.promise };
}
