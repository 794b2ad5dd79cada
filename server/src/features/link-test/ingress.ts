import { randomBytes } from 'node:crypto';
import { echo, LINK_TEST_BOUNDS, LINK_TEST_SERVICE, type LoadChunk, loadChunk } from '@svc/contracts/agent/link-test';
import type { FastifyBaseLogger } from 'fastify';
import { type AgentStream, agentOf, toGrpcError, widenWindow } from '#edge';
import { AppError, type GrpcMount } from '#kernel';
import type { createAllowance, Place } from './domain/allowance.ts';

export interface LinkTestDeps {
  allowance: ReturnType<typeof createAllowance>;
  log: FastifyBaseLogger;
}

const { loadBytes, chunkBytes, windowBytes, echoes, streamMs } = LINK_TEST_BOUNDS;
/** Several times as many as its bytes need: a flood of empty ones costs too. */
const MOST_CHUNKS = 1024;
/** The same for every chunk: no compressor in between sees through several of them at once. */
const PAYLOAD = randomBytes(chunkBytes);

const refusal = {
  hour: 'This device has tested its line often enough for now.',
  tenant: 'The devices of this tenant have tested their lines often enough for now.',
  busy: 'Too many devices test their lines now.',
};

const beyondBounds = (): AppError => new AppError('too_large', 'More than a link test may carry.');

function decoded<T>(decode: (bytes: Buffer) => T, bytes: Buffer): T {
  try {
    return decode(bytes);
  } catch (cause) {
    throw new AppError('validation', 'This is not a message of a link test.', { cause });
  }
}

interface Served {
  /** Throws where the device may not, or sent what is no message. */
  take(bytes: Buffer): void;
  stop?(): void;
}

/** A stream with a place, an end in time, and words where it goes beyond its bounds. */
function serveBounded(
  stream: AgentStream,
  method: string,
  { deps, start }: { deps: LinkTestDeps; start: (carried: Place['carried']) => Served },
): void {
  const { agent, draining } = agentOf(stream);
  const allowed = deps.allowance.take({ tenant: agent.tenant, agentId: agent.agentId, method });
  if ('refused' in allowed) {
    const { refused, retryAfterSeconds } = allowed;
    stream.emit('error', toGrpcError(new AppError('rate_limited', refusal[refused], { retryAfterSeconds })));
    return;
  }
  const served = start(allowed.carried);
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    clearTimeout(late);
    served.stop?.();
    allowed.done();
  };
  const fail = (error: unknown): void => {
    if (over) return;
    finish();
    stream.pause();
    if (!(error instanceof AppError)) deps.log.error({ err: error }, 'a link test failed');
    stream.emit('error', toGrpcError(error));
  };
  const late = setTimeout(() => fail(new AppError('too_large', 'A link test may take 15 s.')), streamMs);
  late.unref();
  const end = (): void => {
    finish();
    stream.end();
  };
  stream.on('data', (bytes: Buffer) => {
    if (over) return;
    try {
      served.take(bytes);
    } catch (error) {
      fail(error);
    }
  });
  stream.on('end', end);
  for (const event of ['cancelled', 'close']) stream.once(event, finish);
  draining.addEventListener('abort', end, { once: true });
}

/** Takes what comes, and sends what is wanted as fast as the line takes it and no faster. */
function serveLoad(stream: AgentStream, carried: Place['carried']): Served {
  const narrow = widenWindow(stream, windowBytes);
  let chunks = 0;
  let taken = 0;
  let wanted = 0;
  let left = 0;
  let stopped = false;
  const send = (): void => {
    while (!stopped && left > 0) {
      const payload = PAYLOAD.subarray(0, Math.min(left, chunkBytes));
      left -= payload.length;
      carried(payload.length);
      if (!stream.write({ wanted_bytes: 0, taken_bytes: taken, payload } satisfies LoadChunk)) {
        stream.once('drain', send);
        return;
      }
    }
  };
  return {
    take(bytes) {
      carried(bytes.length);
      const chunk = decoded(loadChunk.decode, bytes);
      chunks += 1;
      taken += chunk.payload.length;
      if (taken > loadBytes || chunk.payload.length > chunkBytes || chunks > MOST_CHUNKS) throw beyondBounds();
      if (chunk.wanted_bytes > 0) {
        if (wanted > 0 || chunk.wanted_bytes > loadBytes) throw beyondBounds();
        wanted = chunk.wanted_bytes;
        left = wanted;
        send();
      } else stream.write({ wanted_bytes: 0, taken_bytes: taken, payload: Buffer.alloc(0) } satisfies LoadChunk);
    },
    stop() {
      stopped = true;
      narrow();
      stream.removeListener('drain', send);
    },
  };
}

function serveEcho(stream: AgentStream, carried: Place['carried']): Served {
  let answered = 0;
  return {
    take(bytes) {
      answered += 1;
      // There and back.
      carried(2 * bytes.length);
      if (answered > echoes) throw beyondBounds();
      stream.write(decoded(echo.decode, bytes));
    },
  };
}

/** gRPC `LinkTest`: see contracts/proto/agent.proto. */
export function createLinkTestMount(deps: LinkTestDeps): GrpcMount {
  const load = (stream: AgentStream) => serveBounded(stream, 'load', { deps, start: (carried) => serveLoad(stream, carried) });
  const echo = (stream: AgentStream) => serveBounded(stream, 'echo', { deps, start: (carried) => serveEcho(stream, carried) });
  // Bytes are decoded in the handler, so that what is no message ends with our words and not with a crash of the codec.
  const requestDeserialize = (bytes: Buffer) => bytes;
  const definition = {
    load: { ...LINK_TEST_SERVICE.load, requestDeserialize },
    echo: { ...LINK_TEST_SERVICE.echo, requestDeserialize },
  };
  return { definition, implementation: { load: load as never, echo: echo as never } };
}
