import {
  Client,
  type ClientDuplexStream,
  status as codes,
  credentials as grpc,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { ERROR_CODE_METADATA, PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import {
  type FromRunner,
  type ReportAck,
  type ReportBatch,
  RUNNER_BOUNDS,
  RUNNER_SERVICE,
  type RunnerStatus,
  type ToRunner,
} from '@svc/contracts/tests/runner-messages';
import type { Spool, SpooledBatch } from '../spool/spool.ts';
import type { Credentials } from './identity-store.ts';

/** Why a connection ended. */
export interface Ending {
  kind: 'network' | 'unauthorized' | 'removed' | 'unknown' | 'upgrade_required' | 'stopped';
  message: string;
  retryAfterMs: number;
}

export interface ConnectionDeps {
  spool: Spool;
  protocol: number;
  status: () => RunnerStatus;
  onMessage: (message: ToRunner) => void;
}

export interface Connection {
  /** Reports were appended. */
  pump(): void;
  send(message: FromRunner): void;
  /** The status changed. */
  tell(): void;
  stop(): void;
  ended: Promise<Ending>;
}

const STATUS_EVERY_MS = 20_000;
const ACK_TIMEOUT_MS = 60_000;
/** A report has at most RUNNER_BOUNDS.reportBytes less this. */
const FRAME_BYTES = 16 * 1024;
const BOUNDS = { records: RUNNER_BOUNDS.reports, bytes: RUNNER_BOUNDS.reportBytes - FRAME_BYTES };

const WORDS: Readonly<Record<string, Ending['kind']>> = {
  upgrade_required: 'upgrade_required',
  unauthorized: 'unauthorized',
  forbidden: 'removed',
  not_found: 'unknown',
};

function endingOf(error: Partial<ServiceError>): Ending {
  const message = error.details || error.message || 'the connection ended';
  const word = String(error.metadata?.get(ERROR_CODE_METADATA)[0] ?? '');
  const seconds = Number(error.metadata?.get('svc-retry-after')[0] ?? 0);
  const retryAfterMs = Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), 3600) * 1000 : 0;
  const isCertificate = /alert (certificate|bad certificate|unknown ca)|certificate (expired|unknown|required)/i.test(message);
  const isUnauthorized = error.code === codes.UNAUTHENTICATED || isCertificate;
  return { kind: WORDS[word] ?? (isUnauthorized ? 'unauthorized' : 'network'), message, retryAfterMs };
}

function createClient({ grpc_ca, grpc_addr, chain, key_pem }: Credentials): Client {
  const roots = grpc_ca === '' ? null : Buffer.from(grpc_ca);
  return new Client(grpc_addr, grpc.createSsl(roots, Buffer.from(key_pem), Buffer.from(chain)), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.keepalive_time_ms': 120_000,
    'grpc.keepalive_timeout_ms': 20_000,
    'grpc.max_receive_message_length': 2 * RUNNER_BOUNDS.reportBytes,
  });
}

/** Sends the spool a batch at a time; what is acknowledged leaves it. */
function createPublishing(stream: ClientDuplexStream<ReportBatch, ReportAck>, spool: Spool, fail: (error: Error) => void) {
  let sequence = 0;
  let sent: (SpooledBatch & { sequence: number }) | undefined;
  let overdue: NodeJS.Timeout | undefined;
  let isReading = false;
  let isOver = false;

  async function pump(): Promise<void> {
    if (isReading || sent || isOver) return;
    isReading = true;
    try {
      const batch = await spool.next(BOUNDS);
      if (!batch || isOver) return;
      sequence += 1;
      sent = { ...batch, sequence };
      overdue = setTimeout(() => fail(new Error('the server did not acknowledge in time')), ACK_TIMEOUT_MS);
      stream.write({ sequence, reports: batch.records });
    } catch (error) {
      fail(error as Error);
    } finally {
      isReading = false;
    }
  }

  stream.on('data', (ack: ReportAck) => {
    clearTimeout(overdue);
    if (sent?.sequence !== ack.sequence) return fail(new Error('the server acknowledged out of turn'));
    const { end } = sent;
    sent = undefined;
    spool.ack(end).then(pump, fail);
  });
  return {
    pump: (): void => void pump(),
    stop(): void {
      isOver = true;
      clearTimeout(overdue);
    },
  };
}

/** One life of a connection: both streams over mutual TLS; when either ends, both do. Never throws; `ended` says why. */
export function openConnection(credentials: Credentials, { spool, protocol, status, onMessage }: ConnectionDeps): Connection {
  const client = createClient(credentials);
  const metadata = new Metadata();
  metadata.set(PROTOCOL_METADATA, String(protocol));
  const open = <In, Out>(method: {
    path: string;
    requestSerialize: (m: In) => Buffer;
    responseDeserialize: (b: Buffer) => Out;
  }) => client.makeBidiStreamRequest(method.path, method.requestSerialize, method.responseDeserialize, metadata);
  const control = open<FromRunner, ToRunner>(RUNNER_SERVICE.connect);
  const reports = open<ReportBatch, ReportAck>(RUNNER_SERVICE.publish);
  const over = Promise.withResolvers<Ending>();
  let isOpen = true;

  const finish = (ending: Ending): void => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(beat);
    publishing.stop();
    control.cancel();
    reports.cancel();
    client.close();
    over.resolve(ending);
  };
  const publishing = createPublishing(reports, spool, (error) =>
    finish({ kind: 'network', message: error.message, retryAfterMs: 0 }),
  );
  const send = (message: FromRunner): void => {
    if (isOpen) control.write(message);
  };
  const tell = (): void => send({ status: status() });
  const beat = setInterval(tell, STATUS_EVERY_MS);
  for (const stream of [control, reports]) {
    stream.on('error', (error: ServiceError) => finish(endingOf(error)));
    // The status follows; without an error it is OK: the server drains.
    stream.on('end', () =>
      setImmediate(() => finish({ kind: 'network', message: 'the server ended the stream', retryAfterMs: 0 })),
    );
  }
  control.on('data', onMessage);
  spool.rewind();
  tell();
  publishing.pump();
  return {
    send,
    tell,
    pump: publishing.pump,
    stop: () => finish({ kind: 'stopped', message: 'stopped', retryAfterMs: 0 }),
    ended: over.promise,
  };
}
