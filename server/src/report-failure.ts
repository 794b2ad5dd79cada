import type { AppError } from '#kernel';

/** Says on standard error what is wrong and what to do; 2 for bad usage or configuration, 1 where something outside fails. */
export function reportFailure(error: AppError): 1 | 2 {
  const lines = [`svc: ${error.message}`, ...error.faults.map(({ path, message }) => `  ${path} ${message}`)];
  if (error.code === 'internal' && error.cause instanceof Error) lines.push(error.cause.stack ?? error.cause.message);
  process.stderr.write(`${lines.join('\n')}\n`);
  return error.code === 'validation' || error.code === 'bad_request' ? 2 : 1;
}
