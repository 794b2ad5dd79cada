import type { Measured, Phase } from '@svc/contracts/tests/run-report';
import type { Capabilities } from '@svc/contracts/tests/runner';
import type { TestSpec } from '@svc/contracts/tests/test';

/** What one run is given. */
export interface RunTools {
  /** The value of a secret for a host; throws where there is none or where it may not be sent there. */
  resolveSecret(name: string, host: string): string;
  /** Ends the run at once; it may reject then. */
  signal: AbortSignal;
  /** A phase is over; called while the run goes on. */
  onProgress?: ((phase: Phase, ms: number) => void) | undefined;
  /** What the run took of this thread's CPU, milliseconds, part by part. */
  onBusy?: ((ms: number) => void) | undefined;
  /** Waited for before each part that a test or its target can make long. */
  takeTurn?: (() => Promise<void>) | undefined;
}

/** Runs a test once and says what it measured; a target's faults are results and never rejections. */
export type RunTest = (test: TestSpec, tools: RunTools) => Promise<Measured>;

/** What a runner measures with: `probes/`, with the guard of this machine's targets. */
export interface Prober {
  runTest: RunTest;
  /** By type what this machine lacks; asked again from time to time. */
  lacksOf(): Promise<Capabilities>;
}
