import { infiniteQueryOptions, keepPreviousData, type QueryKey } from '@tanstack/react-query';

/** Where one page of a list goes on: the first has no cursor, and is of now each time that it is asked for. */
interface PagePlace {
  cursor: string | undefined;
  /** Until when the first page was asked for; those behind it are of the same time. */
  untilMs: number | undefined;
}
const FIRST: PagePlace = { cursor: undefined, untilMs: undefined };

interface PagesOptions<Page> {
  /** What is asked, without the clock: a question that names its time would be another one each millisecond. */
  key: QueryKey;
  read: (place: { untilMs: number; cursor?: string }, signal: AbortSignal) => Promise<Page>;
  /** How often what came meanwhile is asked for while one looks; not at all where it is left out. */
  everyMs?: number | undefined;
}

/**
 * A list whose window may end now: each visit and each renewal asks anew until when it happens, so that what came meanwhile is there. What
 * was asked for a moment ago is asked for again too: somebody who comes back wants to see what is new.
 */
export const pagesUntilNow = <Page extends { next_cursor: string | null }>({ key, read, everyMs }: PagesOptions<Page>) =>
  infiniteQueryOptions({
    queryKey: key,
    queryFn: async ({ pageParam: { cursor, untilMs = Date.now() }, signal }) => ({
      ...(await read({ untilMs, ...(cursor === undefined ? {} : { cursor }) }, signal)),
      untilMs,
    }),
    initialPageParam: FIRST,
    getNextPageParam: ({ next_cursor: cursor, untilMs }): PagePlace | undefined => (cursor ? { cursor, untilMs } : undefined),
    staleTime: 0,
    refetchInterval: everyMs ?? false,
    placeholderData: keepPreviousData,
  });
