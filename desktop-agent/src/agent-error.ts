import type { ErrorCode } from '@svc/contracts/error-codes';

/**
 * What an agent's own verbs fail with. Beside the server's codes: `unreachable` (no answer), `untrusted` (the certificate is not
 * the one that was promised), `bad_answer` (no answer of ours), `usage` (the caller's fault: exit 2). `message` is for a person.
 */
export class AgentError extends Error {
  readonly code: ErrorCode | 'unreachable' | 'untrusted' | 'bad_answer' | 'usage';

  constructor(code: AgentError['code'], message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AgentError';
    this.code = code;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
