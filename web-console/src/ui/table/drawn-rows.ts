import { startTransition, useEffect, useState } from 'react';

/** As many as a window 1,200 px high shows; a higher one is filled a moment later. */
const FIRST = 30;
const STEP = 50;
/** The first rows are painted by then, milliseconds. */
const AFTER_MS = 250;

interface Drawn {
  view: string;
  rows: readonly unknown[] | undefined;
  count: number;
}

/** How many rows are drawn of those that are shown next: few of another view, as many as before of new values of the same. */
export function nextDrawn(before: Drawn, { view, rows }: Omit<Drawn, 'count'>): Drawn {
  if (before.view === view && before.rows === rows) return before;
  // Until the answer is there, another view still shows the rows of the one before.
  const isOther = before.view !== view && before.rows !== rows && before.rows !== undefined;
  return { view, rows, count: isOther ? FIRST : before.count };
}

/**
 * How many of the rows to draw now. Where another view comes, the first ones are there at once and the rest follows in steps, so that a page
 * of 200 rows answers a click as fast as one of 50. `view` names what is shown; new values of the same view change nothing.
 */
export function useDrawnRows(rows: readonly unknown[] | undefined, view: string): number {
  const [drawn, setDrawn] = useState<Drawn>({ view, rows, count: Number.POSITIVE_INFINITY });
  const now = nextDrawn(drawn, { view, rows });
  if (now !== drawn) setDrawn(now);
  const isPart = now.count < (rows?.length ?? 0);
  useEffect(() => {
    if (!isPart) return;
    const more = () => startTransition(() => setDrawn((before) => ({ ...before, count: before.count + STEP })));
    const timer = setInterval(more, AFTER_MS);
    return () => clearInterval(timer);
  }, [isPart]);
  return now.count;
}
