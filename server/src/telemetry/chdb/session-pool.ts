import { AppError } from '#kernel';

/** How many callers may wait for a free member before the next is refused. */
const MAX_WAITING = 256;

export interface SessionPool<Member> {
  /** Runs the work with a member that nobody else uses meanwhile; first come, first served. */
  use<T>(work: (member: Member) => Promise<T>): Promise<T>;
}

/** A Session of chDB serialises its calls, so each call gets one of its own; `unavailable` when too many wait. */
export function createSessionPool<Member>(members: readonly Member[]): SessionPool<Member> {
  const idle = [...members];
  const waiting: ((member: Member) => void)[] = [];

  const acquire = (): Promise<Member> | Member => {
    const member = idle.pop();
    if (member !== undefined) return member;
    if (waiting.length >= MAX_WAITING)
      throw new AppError('unavailable', 'Too many concurrent queries to the column store.', { retryAfterSeconds: 2 });
    return new Promise((resolve) => waiting.push(resolve));
  };

  return {
    async use(work) {
      const member = await acquire();
      try {
        return await work(member);
      } finally {
        const next = waiting.shift();
        if (next) next(member);
        else idle.push(member);
      }
    },
  };
}
