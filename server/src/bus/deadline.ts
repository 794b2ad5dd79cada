/** The work's result, or the error of `late` when it is not there after `ms`; the work itself goes on. */
export function withDeadline<T>(work: Promise<T>, ms: number, late: () => unknown): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late()), ms);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** Whether the work has ended, well or not, within `ms`. */
export function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return withDeadline(ended, ms, () => undefined).catch(() => false);
}
