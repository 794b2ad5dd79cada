import type { FromWorker, PublishJob, PublishResult } from './messages.ts';
import { Refusal } from './refusal.ts';

type Post = (message: FromWorker) => void;

interface Waiting {
  resolve: (holdMs: number) => void;
  reject: (refusal: Refusal) => void;
}

/** Hands jobs to the thread that has the bus, those of one turn of the event loop together, and settles each by its result. */
export function createOutbox(post: Post) {
  const waiting = new Map<number, Waiting>();
  let jobs: PublishJob[] = [];
  let lastId = 0;

  const flush = () => {
    const sent = jobs;
    jobs = [];
    post({ type: 'publish', jobs: sent });
  };

  return {
    /** Resolves when the job is durable, with how long its answer is held back; rejects with the Refusal. */
    publish(job: Omit<PublishJob, 'id'>): Promise<number> {
      const id = ++lastId;
      if (jobs.push({ ...job, id }) === 1) setImmediate(flush);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    settle(results: readonly PublishResult[]): void {
      for (const { id, holdMs = 0, fault } of results) {
        const one = waiting.get(id);
        waiting.delete(id);
        if (!fault) one?.resolve(holdMs);
        else one?.reject(new Refusal(fault.reason, fault.message, { retryAfterSeconds: fault.retryAfterSeconds }));
      }
    },
  };
}
