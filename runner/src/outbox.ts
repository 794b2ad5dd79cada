/** Items of one owner that are on their way, in memory. */
export interface Outbox<Item> {
  add(item: Item): void;
  size(): number;
  /** Left out since there was no more room: the oldest. */
  dropped(): number;
  /** Tries once more and lets go of what cannot be delivered. */
  close(): Promise<void>;
}

export interface OutboxOptions<Item> {
  /** Resolves when they are durable; what it rejects comes again, possibly with more. */
  deliver: (items: Item[]) => Promise<void>;
  maxItems?: number;
  maxBatch?: number;
  /** Pauses between failures, doubled up to the second. */
  retryMs?: readonly [first: number, last: number];
}

/** Delivers in order, one batch after the other, and again after a failure; bounded, so that a bus that is away costs results and no memory. */
export function createOutbox<Item>({
  deliver,
  maxItems = 10_000,
  maxBatch = 500,
  retryMs = [250, 10_000],
}: OutboxOptions<Item>): Outbox<Item> {
  let items: Item[] = [];
  let dropped = 0;
  let running: Promise<void> | undefined;
  let closed = false;
  let wake: (() => void) | undefined;

  async function pump(): Promise<void> {
    let pauseMs = retryMs[0];
    while (items.length > 0) {
      const batch = items.slice(0, maxBatch);
      const droppedBefore = dropped;
      try {
        await deliver(batch);
        pauseMs = retryMs[0];
        // Those dropped meanwhile were the oldest: of this batch.
        items = items.slice(Math.max(0, batch.length - (dropped - droppedBefore)));
      } catch {
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, pauseMs).unref();
        });
        pauseMs = Math.min(2 * pauseMs, retryMs[1]);
      }
    }
  }

  const start = (): Promise<void> => {
    running ??= pump().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    add(item) {
      if (closed) return;
      items.push(item);
      if (items.length > maxItems) {
        items.shift();
        dropped += 1;
      }
      void start();
    },
    size: () => items.length,
    dropped: () => dropped,
    async close() {
      closed = true;
      wake?.();
      await running;
    },
  };
}
