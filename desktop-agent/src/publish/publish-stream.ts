import type { ClientDuplexStream } from '@grpc/grpc-js';
import { BATCH_BOUNDS, type BatchAck } from '@svc/contracts/agent/messages';
import { encodeBatch } from './batch-codec.ts';
import type { OnSending } from './outgoing.ts';
import { wirePart } from './record.ts';
import type { Spool, SpooledBatch } from './spool.ts';

/** Batches under way at once: one is being stored while the next one travels. */
const IN_FLIGHT = 2;
const ACK_TIMEOUT_MS = 60_000;
/** Half of what the server takes, so that framing never matters. */
const BOUNDS = { results: BATCH_BOUNDS.results / 2, bytes: BATCH_BOUNDS.bytes / 2 };

export interface PublishDeps {
  spool: Spool;
  /** The record as it may leave now, where that changed while it waited; default: as it is. */
  prepare?(record: Uint8Array): Uint8Array;
  /** True while nothing may be sent; a pump afterwards goes on. */
  isHeld?(): boolean;
  onSending?: OnSending | undefined;
  /** Called with the records and the bytes of a batch that the server has, before the spool forgets them. */
  onDelivered(records: readonly Uint8Array[], ack: BatchAck, bytes: Buffer): Promise<void>;
}

interface Sent extends SpooledBatch {
  sequence: number;
  bytes: Buffer;
}

export interface PublishStream {
  /** Sends what waits, as far as the window allows. */
  pump(): void;
  /** Something went wrong that only a new connection cures. */
  failed: Promise<Error>;
  /** Sends no more; resolves when nothing is under way any more. */
  halt(): Promise<void>;
  /** Sends no more; resolves when what was acknowledged has left the spool. */
  stop(): Promise<void>;
}

/** Reads what is to be sent; what was read while sending was being held back goes first once it may go. */
function createReader({ spool, isHeld, prepare }: PublishDeps): () => Promise<SpooledBatch | undefined> {
  const held = (): boolean => isHeld?.() === true;
  let unsent: SpooledBatch | undefined;
  return async () => {
    if (held()) return undefined;
    unsent ??= await spool.next(BOUNDS);
    if (held()) return undefined;
    const batch = unsent;
    unsent = undefined;
    return batch && prepare ? { ...batch, records: batch.records.map(prepare) } : batch;
  };
}

/** Sends the spool in order over one stream and removes from it what was acknowledged, nothing else. */
export function startPublishing(stream: ClientDuplexStream<Buffer, BatchAck>, deps: PublishDeps): PublishStream {
  const sent: Sent[] = [];
  const read = createReader(deps);
  let sequence = 0;
  let stopped = false;
  let reading = false;
  let again = false;
  let overdue: NodeJS.Timeout | undefined;
  const idle = Promise.withResolvers<void>();
  const fault = Promise.withResolvers<Error>();

  const watch = (): void => {
    clearTimeout(overdue);
    if (sent.length > 0 && !stopped)
      overdue = setTimeout(() => fault.resolve(new Error('the server did not acknowledge in time')), ACK_TIMEOUT_MS);
  };

  async function fill(): Promise<void> {
    while (!stopped && sent.length < IN_FLIGHT) {
      const batch = await read();
      if (!batch || stopped) return;
      sequence += 1;
      const bytes = encodeBatch({ sequence, results: batch.records.map(wirePart) });
      sent.push({ ...batch, sequence, bytes });
      deps.onSending?.({ kind: 'results', bytes, records: batch.records });
      stream.write(bytes);
      watch();
    }
  }

  function pump(): void {
    if (stopped) return;
    again = true;
    if (reading) return;
    reading = true;
    const turn = async (): Promise<void> => {
      while (again) {
        again = false;
        await fill();
      }
    };
    turn()
      .catch((error: Error) => fault.resolve(error))
      .finally(() => {
        reading = false;
        if (again) pump();
      });
  }

  let settled: Promise<void> = Promise.resolve();
  stream.on('data', (ack: BatchAck) => {
    const batch = sent.shift();
    if (batch?.sequence !== ack.sequence) {
      fault.resolve(new Error(`the server acknowledged batch ${ack.sequence} out of turn`));
      return;
    }
    watch();
    settled = settled
      .then(() => deps.onDelivered(batch.records, ack, batch.bytes))
      .then(() => deps.spool.ack(batch.end))
      .then(() => (stopped && sent.length === 0 ? idle.resolve() : undefined))
      .catch((error: Error) => fault.resolve(error));
    pump();
  });

  return {
    pump,
    failed: fault.promise,
    halt() {
      stopped = true;
      return sent.length === 0 ? settled : idle.promise;
    },
    stop() {
      stopped = true;
      clearTimeout(overdue);
      return settled;
    },
  };
}
