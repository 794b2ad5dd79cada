import { useEffect, useState } from 'react';
import { ApiError, ask } from '../../api.ts';
import type { LogRecord } from '../../api-types.ts';
import type { LogQuery } from './logs-search.ts';

const POLL_MS = 1000;
/** Lines that one second adds at most, and that the page holds at most. */
const SHOWN_A_POLL = 200;
const HELD = 1000;
/** Names of lines that may come a second time. */
const REMEMBERED = 2000;

export interface Tail {
  /** Newest first. */
  items: readonly LogRecord[];
  /** Lines that came and are not shown: more than a person reads. */
  more: number;
  error: ApiError | undefined;
  /** When the last answer came, Unix milliseconds. */
  at: number | undefined;
}

const EMPTY: Tail = { items: [], more: 0, error: undefined, at: undefined };

/** Follows what is stored from now on; starts anew when the query changes, and goes on where it was after a failure. */
export function useTail(query: LogQuery, on: boolean): Tail {
  const [tail, setTail] = useState<Tail>(EMPTY);
  const key = JSON.stringify(query);
  useEffect(() => {
    if (!on) return;
    setTail(EMPTY);
    const asked = JSON.parse(key) as LogQuery;
    const abort = new AbortController();
    const seen = new Set<string>();
    let cursor: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      // Nobody looks: what comes meanwhile is asked for when they do.
      if (document.hidden && cursor !== undefined) {
        timer = setTimeout(() => void poll(), POLL_MS);
        return;
      }
      try {
        const page = await ask('logs.tail', { ...asked, ...(cursor ? { cursor } : {}) }, abort.signal);
        cursor = page.next_cursor;
        const fresh = page.items.filter(({ id }) => !seen.has(id));
        for (const { id } of fresh) seen.add(id);
        for (const id of seen) {
          if (seen.size <= REMEMBERED) break;
          seen.delete(id);
        }
        const left = Math.max(0, page.matched - Math.min(fresh.length, SHOWN_A_POLL));
        setTail((before) => ({
          items: fresh.length === 0 ? before.items : [...fresh.slice(0, SHOWN_A_POLL), ...before.items].slice(0, HELD),
          more: before.more + left,
          error: undefined,
          at: Date.now(),
        }));
      } catch (error) {
        if (abort.signal.aborted) return;
        setTail((before) => ({
          ...before,
          error: error instanceof ApiError ? error : new ApiError('internal', 'The live view broke.'),
        }));
      }
      if (!abort.signal.aborted) timer = setTimeout(() => void poll(), POLL_MS);
    };
    void poll();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, on]);
  return on ? tail : EMPTY;
}
