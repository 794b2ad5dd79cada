/** Passes a promise on, but no longer than `limitMs` and the signal allow; then rejects with ETIMEDOUT or the signal's reason. */
export function withLimit<T>(work: Promise<T>, limitMs: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => finish(() => reject(signal?.reason));
    const timer = setTimeout(() => finish(() => reject(timeoutError())), limitMs);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

export const timeoutError = (): Error => Object.assign(new Error('time limit reached'), { code: 'ETIMEDOUT' });
