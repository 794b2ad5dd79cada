import { environmentManager, InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pagesUntilNow } from './pages-until-now.ts';

const START = Date.parse('2026-11-26T09:00:00.000Z');
beforeEach(() => {
  vi.useFakeTimers({ now: START });
  // Nothing is followed where there is no window, as in this test's process.
  environmentManager.setIsServer(() => false);
});
afterEach(() => void vi.useRealTimers());

/** A list of two pages that somebody looks at, with what it asked for: seconds after the start, and the cursor. */
function lookAt(everyMs?: number) {
  const asked: (readonly [seconds: number, cursor: string | undefined])[] = [];
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 5_000 } } });
  const options = pagesUntilNow({
    key: ['list'],
    read: ({ untilMs, cursor }) => {
      asked.push([(untilMs - START) / 1000, cursor]);
      return Promise.resolve({ next_cursor: cursor ? null : 'second' });
    },
    everyMs,
  });
  const visit = () => {
    const observer = new InfiniteQueryObserver(client, options);
    return { observer, leave: observer.subscribe(() => undefined) };
  };
  return { asked, visit };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('asks until now at each visit, also at one that follows at once', async () => {
  const { asked, visit } = lookAt();
  const first = visit();
  await pass(1_000);
  first.leave();
  const second = visit();
  await pass(1_000);
  second.leave();
  expect(asked).toEqual([
    [0, undefined],
    [1, undefined],
  ]);
});

it('reads the pages behind the first of the same time, and all of them anew on a renewal', async () => {
  const { asked, visit } = lookAt();
  const { observer, leave } = visit();
  await pass(10_000);
  await observer.fetchNextPage();
  await pass(10_000);
  await observer.refetch();
  leave();
  expect(asked).toEqual([
    [0, undefined],
    [0, 'second'],
    [20, undefined],
    [20, 'second'],
  ]);
});

it('follows what comes while one looks, where it is told how often', async () => {
  const { asked, visit } = lookAt(12_000);
  const { leave } = visit();
  await pass(25_000);
  leave();
  await pass(25_000);
  expect(asked.map(([seconds]) => seconds)).toEqual([0, 12, 24]);
});
