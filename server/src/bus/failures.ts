import type { Health } from '#kernel';

/** Which readers fail again and again, by a name such as "group on topic/partition". */
export interface Failures {
  /** Failures in a row; 0 after a success. */
  note(reader: string, inARow: number): void;
  forget(reader: string): void;
  /** `degraded`, naming the readers, from three failures in a row on. */
  health(): Health;
}

const FAILURES_TO_SHOW = 3;
const NAMES_TO_SHOW = 5;

export function createFailures(): Failures {
  const counts = new Map<string, number>();
  return {
    note: (reader, inARow) => void counts.set(reader, inARow),
    forget: (reader) => void counts.delete(reader),
    health() {
      const failing = [...counts].filter(([, count]) => count >= FAILURES_TO_SHOW).map(([reader]) => reader);
      if (failing.length === 0) return { status: 'ok' };
      const named = failing.slice(0, NAMES_TO_SHOW).join(', ');
      return { status: 'degraded', detail: `Handlers fail again and again, their messages wait: ${failing.length} (${named}).` };
    },
  };
}
