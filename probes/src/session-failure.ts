import type { SessionPhase } from '@svc/contracts/session-failure';
import type { CertificateFault } from './certificate-fault.ts';

/** Ends a session with its phase and a short code; never leaves `measureSession`. */
export class SessionFailure extends Error {
  override readonly name = 'SessionFailure';
  readonly phase: SessionPhase;
  readonly code: string;
  /** Where it was the server's certificate. */
  readonly certificate: CertificateFault | undefined;

  constructor(phase: SessionPhase, code: string, certificate?: CertificateFault) {
    super(`${phase}: ${code}`);
    this.phase = phase;
    this.code = code;
    this.certificate = certificate;
  }
}

/** The short code of whatever was thrown: of several tries the last one's. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1));
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code.slice(0, 64);
  return error instanceof Error && error.name === 'TimeoutError' ? 'ETIMEDOUT' : 'EUNKNOWN';
}

/** Runs one phase to its end or the signal's; whatever is thrown becomes that phase's failure. `cancel` lets go of what is open. */
export function runPhase<T>(
  phase: SessionPhase,
  signal: AbortSignal,
  work: (settle: { done: (value: T) => void; fail: (error: unknown) => void }) => () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let cancel: (() => void) | undefined;
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const fail = (error: unknown): void =>
      finish(() => reject(error instanceof SessionFailure ? error : new SessionFailure(phase, codeOf(error))));
    const onAbort = (): void => {
      cancel?.();
      fail(signal.reason);
    };
    if (signal.aborted) {
      fail(signal.reason);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    cancel = work({ done: (value) => finish(() => resolve(value)), fail });
  });
}
