import { crc32 } from 'node:zlib';
import type { FromWorker, Part, PublishJob, PublishResult } from './messages.ts';
import { Refusal } from './refusal.ts';

/** What is shorter the log copies, and reads where it then lies in the processor's cache: to join its crc to another would cost more. */
const CRC_FROM_BYTES = 64 * 1024;

type Post = (message: FromWorker) => void;

/** One accepted request whose parts lie in memory of this thread. */
export interface Outgoing extends Pick<PublishJob, 'signal' | 'tenant' | 'at' | 'charge'> {
  parts: readonly Buffer[];
}

/** How long the answer to what is durable is held back, milliseconds, and what it warns of; '' for nothing. */
export interface Durable {
  holdMs: number;
  warning: string;
}

interface Waiting {
  resolve: (durable: Durable) => void;
  reject: (refusal: Refusal) => void;
}

/** Pieces of shared memory by number: another thread is shown each once, since a message with one costs far more than a number. */
function createNumbers(makesCrc: boolean) {
  const numbers = new Map<SharedArrayBuffer, number>();
  const pieces: SharedArrayBuffer[] = [];
  let made: SharedArrayBuffer[] = [];

  function numberOf(memory: SharedArrayBuffer): number {
    const known = numbers.get(memory);
    if (known !== undefined) return known;
    numbers.set(memory, pieces.length);
    made.push(memory);
    return pieces.push(memory) - 1;
  }

  return {
    describe(part: Buffer): Part {
      const {
        buffer,
        byteOffset: start,
        length: bytes,
      } = part as { buffer: ArrayBufferLike; byteOffset: number; length: number };
      if (!(buffer instanceof SharedArrayBuffer)) return part;
      const place = { piece: numberOf(buffer), start, bytes };
      return makesCrc && bytes >= CRC_FROM_BYTES ? { ...place, crc: crc32(part) } : place;
    },
    pieceOf: (piece: number) => pieces[piece] as SharedArrayBuffer,
    takeMade(): SharedArrayBuffer[] {
      const taken = made;
      made = [];
      return taken;
    },
  };
}

/** Hands jobs to the thread that has the bus, those of one turn of the event loop together, and settles each by its result. */
export function createOutbox(post: Post, { makesCrc }: { makesCrc: boolean }) {
  const numbers = createNumbers(makesCrc);
  const waiting = new Map<number, Waiting>();
  let jobs: PublishJob[] = [];
  let lastId = 0;

  const flush = () => {
    const sent = jobs;
    jobs = [];
    post({ type: 'publish', jobs: sent, made: numbers.takeMade() });
  };

  return {
    /** Resolves when the job is durable; rejects with the Refusal. */
    publish({ parts, ...job }: Outgoing): Promise<Durable> {
      const id = ++lastId;
      if (jobs.push({ id, ...job, parts: parts.map(numbers.describe) }) === 1) setImmediate(flush);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    settle(results: readonly PublishResult[]): void {
      for (const { id, holdMs = 0, warning = '', fault } of results) {
        const one = waiting.get(id);
        waiting.delete(id);
        if (!fault) one?.resolve({ holdMs, warning });
        else one?.reject(new Refusal(fault.reason, fault.message, { retryAfterSeconds: fault.retryAfterSeconds }));
      }
    },
    /** The memory of these pieces. */
    piecesOf: (pieces: readonly number[]): SharedArrayBuffer[] => pieces.map(numbers.pieceOf),
  };
}
