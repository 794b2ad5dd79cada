import { randomUUID } from 'node:crypto';
import { AppError } from '#kernel';

/** The right to write under a name until somebody claims the same name. */
export interface WriteClaim {
  /** Letters, digits, dots and dashes. */
  writer: string;
  id: string;
}

/** A write under a claim that is no more the last one of its name: nothing of it was stored. */
export const claimedByAnother = (cause?: unknown): AppError =>
  new AppError('conflict', 'Another process writes this by now.', { cause });

/** Claims where all writers are in this process. */
export interface LocalClaims {
  /** As ColumnStore. */
  claim(writer: string): Promise<WriteClaim>;
  /** Runs a write that holds its claim when it begins; rejects with `conflict` without running it when it does not. */
  write(claim: WriteClaim | undefined, work: () => Promise<void>): Promise<void>;
}

export function createLocalClaims(): LocalClaims {
  const held = new Map<string, { id: string; running: Set<Promise<void>> }>();
  return {
    async claim(writer) {
      const claim = { writer, id: randomUUID() };
      const name = held.get(writer) ?? { id: '', running: new Set() };
      held.set(writer, name);
      name.id = claim.id;
      await Promise.allSettled(name.running);
      return claim;
    },
    async write(claim, work) {
      if (claim === undefined) return await work();
      const name = held.get(claim.writer);
      if (name?.id !== claim.id) throw claimedByAnother();
      const running = work();
      name.running.add(running);
      try {
        await running;
      } finally {
        name.running.delete(running);
      }
    },
  };
}
