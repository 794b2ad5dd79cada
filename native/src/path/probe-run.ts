import type { ProbeAnswer } from './answer.ts';
import type { OpenProbeSocket, ProbeSocketOptions } from './probe-socket.ts';

/** One probe on its way; `answer` and `rttMs` are there once it came back in time. */
export interface Probe {
  readonly index: number;
  readonly ttl: number;
  /** Unix milliseconds. */
  sentAtMs: number;
  /** Monotonic, for deadlines. */
  readonly startedMs: number;
  answer?: ProbeAnswer;
  rttMs?: number;
}

export interface ProbeRunOptions extends Omit<ProbeSocketOptions, 'onAnswer'> {
  readonly signal?: AbortSignal;
}

/** Sends probes over one socket and waits for their answers. The owner closes it. */
export interface ProbeRun {
  readonly probes: readonly Probe[];
  /** Name of the last error that kept a probe from leaving. */
  readonly sendError: () => string | undefined;
  /** Sends the next probe; `ttl` undefined leaves the system's default. */
  send: (ttl?: number) => void;
  /** Waits until `done` or the monotonic time. Rejects with the signal's reason once it is aborted. */
  waitUntil: (deadlineMs: number, done: () => boolean) => Promise<void>;
  /** Neither answered nor out of time. */
  isPending: (probe: Probe) => boolean;
  close: () => void;
}

/** Throws what `openSocket` throws where the system refuses. */
export function openProbeRun(options: ProbeRunOptions, openSocket: OpenProbeSocket): ProbeRun {
  const probes: Probe[] = [];
  let sendError: string | undefined;
  let wake: (() => void) | undefined;
  const onAnswer = (answer: ProbeAnswer): void => {
    const probe = probes[answer.index];
    if (!probe || probe.answer) return;
    settle(probe, answer, options.timeoutMs);
    wake?.();
  };
  const socket = openSocket({ ...options, onAnswer });
  const isPending = (probe: Probe): boolean => !probe.answer && performance.now() - probe.startedMs < options.timeoutMs;
  return {
    probes,
    sendError: () => sendError,
    send(ttl) {
      const probe: Probe = { index: probes.length, ttl: ttl ?? 0, sentAtMs: 0, startedMs: performance.now() };
      probes.push(probe);
      const outcome = socket.send(probe.index, ttl);
      if ('error' in outcome) {
        sendError = outcome.error;
        probes.pop();
        return;
      }
      probe.sentAtMs = outcome.sentAtMs;
    },
    async waitUntil(deadlineMs, done) {
      for (;;) {
        options.signal?.throwIfAborted();
        const leftMs = deadlineMs - performance.now();
        if (leftMs <= 0 || done()) return;
        await sleepOrWake(leftMs, options.signal, (resume) => {
          wake = resume;
        });
      }
    },
    isPending,
    close: () => socket.close(),
  };
}

/** macOS cuts its receive times to whole microseconds: an answer may seem to come that much before its probe. */
const STAMP_MS = 0.002;

/** An answer that comes after the time limit leaves the probe lost. */
function settle(probe: Probe, answer: ProbeAnswer, timeoutMs: number): void {
  const monotonicMs = performance.now() - probe.startedMs;
  // The kernel's receive time stays true while this loop is busy; a clock set meanwhile shows as nonsense.
  const kernelMs = answer.receivedAtMs === undefined ? Number.NaN : answer.receivedAtMs - probe.sentAtMs;
  const rttMs = kernelMs > -STAMP_MS && kernelMs <= monotonicMs + 1 ? Math.max(0, kernelMs) : monotonicMs;
  probe.answer = answer;
  if (answer.kind !== 'refused' && rttMs <= timeoutMs) probe.rttMs = rttMs;
}

function sleepOrWake(ms: number, signal: AbortSignal | undefined, register: (resume: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const resume = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', resume);
      resolve();
    };
    const timer = setTimeout(resume, ms);
    signal?.addEventListener('abort', resume, { once: true });
    register(resume);
  });
}
