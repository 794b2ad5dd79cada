import koffi from 'koffi';
import { echoEnded, ipHelper } from './iphlpapi.ts';
import { kernel32 } from './kernel32.ts';
import { WIN32 } from './layout/win32.ts';
import { lazily } from './library.ts';

type Handle = number | bigint;

const { WAIT_IO_COMPLETION, NO_ERROR, ERROR_IO_PENDING } = WIN32.constants;
/** Round-trip times are Windows' own: these looks only bound how late an answer is heard. */
const LOOK_MS = 10;
/** Windows ends a request by itself at its time limit; one that never ended is given up after this time more. */
const GRACE_MS = 500;

export interface EchoRequest {
  readonly icmp: Handle;
  /** Four bytes in network order as they stand in memory, or a SOCKADDR_IN6. */
  readonly to: number | Buffer;
  readonly from6: Buffer;
  readonly data: Buffer;
  readonly options: Buffer;
  /** Windows writes into it until the request has ended. */
  readonly reply: Buffer;
  readonly timeoutMs: number;
}

/**
 * Echo requests that end by an asynchronous procedure call on this very thread, which asks for them by short alertable sleeps while
 * there are any. Threads that wait would come out of Node's pool, where name look-ups stand in line; and the C library of wine 8
 * writes past the life of a request that ends by an event.
 */
export interface EchoRequests {
  /** Starts one; `onEnd` is called once with the number of replies. Gives Windows' error where it refused. */
  start: (request: EchoRequest, onEnd: (replies: number) => void) => number | undefined;
}

export const echoRequests = lazily(createEchoRequests);

interface Pending {
  readonly request: EchoRequest;
  readonly endsMs: number;
  readonly onEnd: (replies: number) => void;
}

function createEchoRequests(): EchoRequests {
  const pending = new Map<number, Pending>();
  const ended = new Set<number>();
  let next = 1;
  let timer: NodeJS.Timeout | undefined;
  const routine = koffi.register((id: number) => void ended.add(Number(id)), echoEnded());

  const look = (): void => {
    while (kernel32.sleepEx()(0, 1) === WAIT_IO_COMPLETION);
    for (const [id, { request, endsMs, onEnd }] of [...pending]) {
      if (!ended.delete(id) && performance.now() < endsMs) continue;
      pending.delete(id);
      onEnd(countReplies(request));
    }
    if (pending.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    start(request, onEnd) {
      const id = next;
      next += 1;
      const started = send(request, routine, id);
      // Zero: calls in between have taken the number away.
      const status = started === 0 ? kernel32.lastError()() : NO_ERROR;
      if (status !== NO_ERROR && status !== ERROR_IO_PENDING) return status;
      pending.set(id, { request, endsMs: performance.now() + request.timeoutMs + GRACE_MS, onEnd });
      timer ??= setInterval(look, LOOK_MS);
      return undefined;
    },
  };
}

function send({ icmp, to, from6, data, options, reply, timeoutMs }: EchoRequest, routine: bigint, id: number): number {
  const rest = [data, data.length, options, reply, reply.length, timeoutMs] as const;
  return typeof to === 'number'
    ? ipHelper.sendEcho()(icmp, 0, routine, id, to, ...rest)
    : ipHelper.sendEcho6()(icmp, 0, routine, id, from6, to, ...rest);
}

const countReplies = ({ to, reply }: EchoRequest): number =>
  (typeof to === 'number' ? ipHelper.parseReplies() : ipHelper.parseReplies6())(reply, reply.length);
