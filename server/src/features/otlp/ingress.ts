import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { Signal } from '@svc/otlp-wire/walk';
import type { FastifyBaseLogger } from 'fastify';
import { type Bus, MAX_MESSAGE_BYTES, STILL_WRITING } from '#bus';
import { AppError, type Health, type TenantId } from '#kernel';
import {
  type BoundPorts,
  DEFAULT_LIMITS,
  type ListenerTlsFiles,
  type OpenConnections,
  type Part,
  type PublishJob,
  type PublishResult,
  type ReceiverLimits,
  type ReceiverSettings,
  type Report,
  type ToWorker,
} from './messages.ts';
import { startThread, type Thread, type ThreadEvents } from './thread.ts';
import type { TokenTable } from './token-gate.ts';

const TOPIC_OF = { traces: TOPICS.otlpTraces, logs: TOPICS.otlpLogs, metrics: TOPICS.otlpMetrics } as const satisfies Record<
  Signal,
  string
>;

const DRAIN_LIMIT_MS = 10_000;
const RESTART_AFTER_MS = 1000;
const RETRY_AFTER_SECONDS = 1;
/** A smaller charge is not put down; nor is one about as large as the request, which stamping makes a little larger. */
const CHARGED_FROM_BYTES = 64 * 1024;
const CHARGED_FROM_TIMES = 1.1;
const NO_CONNECTIONS: OpenConnections = { grpc: undefined, http: undefined };

export interface ReceiverDeps extends Pick<ReceiverSettings, 'grpc' | 'http' | 'tls' | 'clientCa' | 'maxBytes' | 'makesCrc'> {
  bus: Pick<Bus, 'publish'>;
  /** How long the answer to what is durable is held back, milliseconds. */
  holdMs?: (signal: Signal, tenant: TenantId, bytes: number) => number;
  /** Put down with each message, for whoever stores it to give back; absent without a fleet. */
  receipt?: (() => string) | undefined;
  /** What the answer to what is durable warns of; '' for nothing. */
  warningOf?: (signal: Signal, tenant: TenantId) => string;
  /** The tokens that count at the start. */
  tokens: TokenTable;
  onReport: (report: Report) => void;
  log: FastifyBaseLogger;
  limits?: Partial<ReceiverLimits>;
}

export interface Receiver {
  /** Ports in use. */
  ports(): BoundPorts;
  connections(): OpenConnections;
  /** Resolves when every later request is judged by this table. */
  setTokens(tokens: TokenTable): Promise<void>;
  setTls(tls: ListenerTlsFiles): void;
  /** Resolves when what was counted so far has been reported. */
  report(): Promise<void>;
  health(): Health;
  /** Sends clients away, answers what was accepted, ends the thread. Once. */
  drain(deadlineMs?: number): Promise<void>;
}

/** Results of jobs whose parts may still be on their way to the disk. */
const mayBeRead = new WeakSet<PublishResult>();

/** One thread's pieces of shared memory, and what became of its jobs: sent back together, that of one turn of the event loop. */
function createDesk(post: Thread['post']) {
  const memory: SharedArrayBuffer[] = [];
  let results: PublishResult[] = [];
  let pieces: number[] = [];
  const flush = (): void => {
    post({ type: 'results', results, pieces });
    results = [];
    pieces = [];
  };
  return {
    note: (made: readonly SharedArrayBuffer[]): number => memory.push(...made),
    valueOf: (part: Part): Buffer =>
      'piece' in part
        ? Buffer.from(memory[part.piece] as SharedArrayBuffer, part.start, part.bytes)
        : Buffer.from(part.buffer, part.byteOffset, part.byteLength),
    answer(result: PublishResult, { parts }: PublishJob): void {
      if (!mayBeRead.has(result)) for (const part of parts) if ('piece' in part) pieces.push(part.piece);
      if (results.push(result) === 1) setImmediate(flush);
    },
  };
}

type Desk = ReturnType<typeof createDesk>;

/** Beside the receive time what its tenant is charged for a message, where that is over its bytes. */
const headersOf = (at: number, charge: number, bytes: number): Record<string, string> =>
  charge >= CHARGED_FROM_BYTES && charge > CHARGED_FROM_TIMES * bytes
    ? { at: String(at), charge: String(Math.ceil(charge)) }
    : { at: String(at) };

async function publishJob(
  { bus, holdMs, warningOf, receipt: nextReceipt }: Pick<ReceiverDeps, 'bus' | 'holdMs' | 'warningOf' | 'receipt'>,
  { id, signal, tenant, at, charge, parts }: PublishJob,
  desk: Desk,
): Promise<PublishResult> {
  try {
    const values = parts.map(desk.valueOf);
    const receipt = nextReceipt?.();
    const bytes = values.reduce((sum, { length }) => sum + length, 0);
    const messages = parts.map((part, i) => {
      const value = values[i] as Buffer;
      // Of a request in parts each has its share.
      const own = headersOf(at, (charge * value.length) / bytes, value.length);
      const headers = receipt === undefined ? own : { ...own, receipt };
      return { tenant, headers, value, ...('crc' in part && { crc: part.crc }) };
    });
    await bus.publish(TOPIC_OF[signal], messages);
    const held = holdMs?.(signal, tenant, Math.max(bytes, charge)) ?? 0;
    const warning = warningOf?.(signal, tenant);
    return { id, ...(held > 0 && { holdMs: held }), ...(warning && { warning }) };
  } catch (error) {
    const isAway = error instanceof AppError && error.code === 'unavailable';
    const retryAfterSeconds = (isAway && error.retryAfterSeconds) || RETRY_AFTER_SECONDS;
    const message = isAway
      ? 'What was sent cannot be kept right now; send it again later.'
      : 'The receiver failed on this request.';
    const result: PublishResult = { id, fault: { reason: isAway ? 'unavailable' : 'internal', message, retryAfterSeconds } };
    if (isAway && error.cause === STILL_WRITING) mayBeRead.add(result);
    return result;
  }
}

/** Questions to the worker that it answers by number. */
function createQuestions() {
  const open = new Map<number, () => void>();
  let last = 0;
  return {
    ask: (send: (ack: number) => void): Promise<void> =>
      new Promise((resolve) => {
        last += 1;
        open.set(last, resolve);
        send(last);
      }),
    answer(ack: number | undefined): void {
      if (ack === undefined) return;
      open.get(ack)?.();
      open.delete(ack);
    },
    /** Nobody answers any more: a thread that is gone judges no requests. */
    answerAll(): void {
      for (const resolve of open.values()) resolve();
      open.clear();
    },
  };
}

/** Keeps a thread running: one that ends by itself is started again on the ports it had. */
async function keepThread(settings: ReceiverSettings, { onMessage, onExit, log }: KeptEvents) {
  let thread: Thread | undefined;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  const start = async () => {
    thread = await startThread(settings, {
      onMessage,
      onError: (error) => log.error({ err: error }, 'the OTLP receiver failed'),
      onExit() {
        thread = undefined;
        onExit();
        if (!isStopping) startLater();
      },
    });
  };
  const startLater = () => {
    timer = setTimeout(() => {
      log.warn('the OTLP receiver starts again');
      start().catch((error: unknown) => {
        log.error({ err: error }, 'the OTLP receiver does not start again yet');
        if (!isStopping) startLater();
      });
    }, RESTART_AFTER_MS);
  };
  await start();
  return {
    current: () => thread,
    async stop(finish: (thread: Thread) => Promise<void>) {
      isStopping = true;
      clearTimeout(timer);
      const ending = thread;
      if (!ending) return;
      await finish(ending);
      await ending.terminate();
    },
  };
}

interface KeptEvents {
  onMessage: ThreadEvents['onMessage'];
  onExit: () => void;
  log: FastifyBaseLogger;
}

/** Starts the thread with its listeners; AppError `unavailable` names the key of an address that cannot be had. */
export async function startReceiver({
  bus,
  holdMs,
  warningOf,
  receipt,
  onReport,
  log,
  limits,
  ...given
}: ReceiverDeps): Promise<Receiver> {
  const settings: ReceiverSettings = { ...given, limits: { ...DEFAULT_LIMITS, ...limits }, maxMessageBytes: MAX_MESSAGE_BYTES };
  const questions = createQuestions();
  const drained = Promise.withResolvers<void>();
  const desks = new WeakMap<object, Desk>();
  let connections = NO_CONNECTIONS;
  const onMessage: ThreadEvents['onMessage'] = (message, thread) => {
    // Each job by itself: one tenant's partition may be away while the others' are not.
    if (message.type === 'publish') {
      const desk = desks.get(thread) ?? createDesk(thread.post);
      desks.set(thread, desk);
      desk.note(message.made);
      const deps = { bus, holdMs, warningOf, receipt };
      for (const job of message.jobs) void publishJob(deps, job, desk).then((result) => desk.answer(result, job));
    } else if (message.type === 'report') {
      connections = message.report.connections;
      onReport(message.report);
      questions.answer(message.ack);
    } else if (message.type === 'taken') questions.answer(message.ack);
    else if (message.type === 'drained') drained.resolve();
  };
  const onExit = () => {
    connections = NO_CONNECTIONS;
    questions.answerAll();
    drained.resolve();
  };
  const kept = await keepThread(settings, { onMessage, onExit, log });
  const ports = kept.current()?.ports ?? { grpc: undefined, http: undefined };
  for (const name of ['grpc', 'http'] as const) {
    const [address, port] = [settings[name], ports[name]];
    if (address && port) settings[name] = { ...address, port };
  }
  const ask = async (question: (ack: number) => ToWorker): Promise<void> => {
    const thread = kept.current();
    if (thread) await questions.ask((ack) => thread.post(question(ack)));
  };

  return {
    ports: () => ports,
    connections: () => connections,
    async setTokens(tokens) {
      settings.tokens = tokens;
      await ask((ack) => ({ type: 'tokens', tokens, ack }));
    },
    setTls(tls) {
      settings.tls = tls;
      kept.current()?.post({ type: 'tls', tls });
    },
    report: () => ask((ack) => ({ type: 'report', ack })),
    health: () =>
      kept.current() ? { status: 'ok' } : { status: 'failed', detail: 'The OTLP receiver ended; it is started again.' },
    drain: (deadlineMs = DRAIN_LIMIT_MS) =>
      kept.stop(async (thread) => {
        thread.post({ type: 'drain', deadlineMs });
        // A thread that hangs is ended all the same.
        await Promise.race([drained.promise, sleep(deadlineMs + 1000, undefined, { ref: false })]);
      }),
  };
}
