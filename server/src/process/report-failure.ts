import { printable } from '@svc/contracts/words/printable';
import { AppError } from '#kernel';

/** Says on standard error what is wrong and what to do; 2 for bad usage or configuration, 1 where something outside fails. */
export function reportFailure(error: AppError): 1 | 2 {
  const lines = [`svc: ${error.message}`, ...error.faults.map(({ path, message }) => `  ${path} ${message}`)];
  if (error.code === 'internal' && error.cause instanceof Error) lines.push(error.cause.stack ?? error.cause.message);
  process.stderr.write(`${printable(lines.join('\n'))}\n`);
  return error.code === 'validation' || error.code === 'bad_request' ? 2 : 1;
}

/**
 * Throws where nobody catches it when an embedded PostgreSQL ends before `expect` was called, so that the rest is drained and the process
 * ends with 1; the next start recovers. A database that is closed because of an earlier failure is expected: that failure is the one to show.
 */
export function watchDatabase(ended: Promise<void> | undefined): { expect(): void } {
  let isExpected = false;
  void ended?.then(() => {
    if (isExpected) return;
    throw new AppError('unavailable', 'PostgreSQL stopped unexpectedly; see run/ in the data directory for its log.');
  });
  return {
    expect: () => {
      isExpected = true;
    },
  };
}
