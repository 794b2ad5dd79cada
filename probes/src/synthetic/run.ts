import { putSecrets } from '@svc/contracts/tests/params/shared';
import type { Assertion, CertificateFacts, Evidence, Measured, Phase } from '@svc/contracts/tests/run-report';
import { RunFailure } from './run-failure.ts';
import { createRedactor, type Redactor } from './safety/redact.ts';
import type { TargetGuard } from './safety/target-guard.ts';

/** All that the secrets of one run come to, each as often as it is put in: a text of references must not grow without end. */
const MAX_SECRET_CHARS = 1024 * 1024;

/** What a run needs of whoever starts it. */
export interface RunTools {
  readonly guard: TargetGuard;
  /**
   * The value of a secret for this host, lower-case and without a port. Throws an error with words for a person where there is no such
   * secret or where it may not be sent there.
   */
  readonly resolveSecret: (name: string, host: string) => string;
  /** Name servers in place of the machine's own, `address` or `address:port`. */
  readonly resolvers?: readonly string[];
  /** Unix milliseconds; for what is compared with dates, such as certificates. Default: the machine's clock. */
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  /** Called when a phase is over, in time. */
  readonly onProgress?: (phase: Phase, ms: number) => void;
  /** Told how long this thread was with the run where a test or its target can make it long, milliseconds. */
  readonly onBusy?: (ms: number) => void;
  /** Resolves when the runner has time for work of that kind. Default: at once. */
  readonly takeTurn?: () => Promise<void>;
  /** Told what made a run end as `internal`, for the log of the machine. */
  readonly onInternalError?: (error: unknown) => void;
  /** Of `browser` only: where Chromium is. */
  readonly chromium?: string;
}

/** One run under way; what is known when it fails is what is told. */
export interface Run {
  readonly tools: RunTools;
  /** The limit of the whole run, and whoever aborts it. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Without what had to be made ready first. */
  startedMs: number;
  readonly phases: Partial<Record<Phase, number>>;
  readonly figures: Record<string, number>;
  readonly assertions: Assertion[];
  readonly evidence: Evidence;
  readonly redactor: Redactor;
  /** Names beside the host's by which the far side chooses who reads what is sent: of TLS, and the Host header. */
  readers: readonly string[];
  secretChars: number;
  /** The test puts secrets in, now or later: what it asks of a page is answered without them. */
  hasSecrets: boolean;
  /** The test takes certificates that do not hold: whoever stands in between would read its secrets. */
  acceptsInvalid: boolean;
  /** Turns that it waits for now. */
  turns: number;
  /** Of this thread's CPU, for expressions. */
  matchMs: number;
  /** The phase that is going on, and since when. */
  current: { phase: Phase; sinceMs: number } | undefined;
  /** When a target sent something last, where it is heard until it is silent. */
  lastByteMs: number | undefined;
  address: string | undefined;
  port: number | undefined;
  certificate: CertificateFacts | undefined;
  vitals: Measured['vitals'];
  /** In place of what the clock says, for types whose time is not that of the whole run. */
  totalMs: number | undefined;
}

export function startRun(tools: RunTools, limit: { signal: AbortSignal; timeoutMs: number }): Run {
  return {
    tools,
    ...limit,
    startedMs: performance.now(),
    phases: {},
    figures: {},
    assertions: [],
    evidence: {},
    redactor: createRedactor(),
    readers: [],
    secretChars: 0,
    hasSecrets: false,
    acceptsInvalid: false,
    turns: 0,
    matchMs: 0,
    current: undefined,
    lastByteMs: undefined,
    address: undefined,
    port: undefined,
    certificate: undefined,
    vitals: undefined,
    totalMs: undefined,
  };
}

/** Phases of the same name add up, as over redirects. */
export function beginPhase(run: Run, phase: Phase, sinceMs = performance.now()): void {
  endPhase(run);
  run.current = { phase, sinceMs };
}

export function endPhase(run: Run, untilMs = performance.now()): void {
  if (!run.current) return;
  const { phase, sinceMs } = run.current;
  run.current = undefined;
  const ms = Math.max(0, untilMs - sinceMs);
  run.phases[phase] = (run.phases[phase] ?? 0) + ms;
  run.tools.onProgress?.(phase, ms);
}

/** A phase that fails stays the current one: how long it lasted is told with the failure. */
export async function inPhase<Value>(run: Run, phase: Phase, work: () => Promise<Value>): Promise<Value> {
  beginPhase(run, phase);
  const value = await work();
  endPhase(run);
  return value;
}

export const nowOf = (run: Run): number => run.tools.now?.() ?? Date.now();

/**
 * The value of a secret that is about to be sent to this host; from here on nothing that is told holds it. Throws a RunFailure with the
 * words of whoever resolves. Many hosts share an address: the secret must be meant for whomever the test names there, too.
 */
export function takeSecret(run: Run, name: string, host: string): string {
  try {
    if (run.acceptsInvalid)
      throw new Error('A test that takes invalid certificates sends no secrets: anybody in between could read them.');
    const value = run.tools.resolveSecret(name, host);
    for (const reader of run.readers) run.tools.resolveSecret(name, reader);
    run.secretChars += value.length;
    if (run.secretChars > MAX_SECRET_CHARS) throw new RangeError('The secrets that the test puts in come to more than 1 MiB.');
    run.redactor.add(name, value);
    return value;
  } catch (error) {
    throw new RunFailure('secret', error instanceof Error ? error.message : `The secret ${name} is not to be had.`);
  }
}

/** The text with each secret that it refers to. */
export const fillSecrets = (run: Run, text: string, host: string): string =>
  putSecrets(text, (name) => takeSecret(run, name, host));
