import type { RunFault } from '@svc/contracts/tests/run-report';
import type { Incapability } from '@svc/contracts/tests/runner';

/** Ends a run with its fault and words for a person; never leaves `runTest`. */
export class RunFailure extends Error {
  override readonly name: string = 'RunFailure';
  readonly fault: RunFault;

  constructor(fault: RunFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The runner lacks what the test takes. */
export class NotCapable extends RunFailure {
  readonly lack: Incapability;

  constructor(lack: Incapability, message: string) {
    super('not_capable', message);
    this.lack = lack;
  }
}

export interface Settle<Value> {
  readonly done: (value: Value) => void;
  readonly fail: (error: unknown) => void;
}

/** Waits for what events bring, or for the signal; `work` returns what lets go of all that is open, which then fails with its reason. */
export function waitOn<Value>(signal: AbortSignal, work: (settle: Settle<Value>) => () => void): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let cancel: (() => void) | undefined;
    const onAbort = (): void => {
      reject(signal.reason);
      cancel?.();
    };
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    cancel = work({ done: (value) => finish(() => resolve(value)), fail: (error) => finish(() => reject(error)) });
  });
}

/** At most so many characters, and no half of one at the end. */
export const cut = (text: string, length: number): string => {
  const whole = text.toWellFormed();
  return whole.length <= length
    ? whole
    : `${whole
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
};
