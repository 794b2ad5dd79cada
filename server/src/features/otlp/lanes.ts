/** Bytes charged to a tenant beside others that it has in hand, between arrival and answer: about what one commit of the log takes. */
const BESIDE_OTHERS_BYTES = 1024 * 1024;
/** A tenant is beside others for so long after two took turns. */
const OTHERS_MS = 10_000;
/** However large they are: one is read while another is written. */
const LEAST_REQUESTS = 2;
/** Who takes longer to send does not flood, and keeps nobody of the same tenant from their turn. */
const SLOW_MS = 50;
/** A request's size is known late: the mean of about so many before it stands for it. */
const SIZES = 16;
const FIRST_BYTES = 64 * 1024;

export interface Turn {
  /** All of the body is there. */
  arrived(bytes: number): void;
  /** It is charged so many bytes more than arrived. */
  charged(more: number): void;
  /** Answered or gone; once. */
  end(): void;
}

interface Hand {
  /** Infinity once the body is there. */
  slowMs: number;
}

interface Lane {
  meanBytes: number;
  hands: Set<Hand>;
  waiting: (() => void)[];
  timer: NodeJS.Timeout | undefined;
}

export interface Lanes {
  /** A promise where the body may not be read yet. Of one tenant in order. */
  begin(tenant: string): Turn | Promise<Turn>;
}

/**
 * Keeps what a tenant piles up with its senders, by not reading it (flow control does the rest), instead of in front of the others in each queue
 * behind: the receiver's turn, the threads' messages, the disk.
 */
export function createLanes(nowMs: () => number = () => performance.now()): Lanes {
  const lanes = new Map<string, Lane>();
  let latest = '';
  let othersUntilMs = 0;

  function noteTenant(tenant: string): void {
    if (latest !== tenant && latest !== '') othersUntilMs = nowMs() + OTHERS_MS;
    latest = tenant;
  }

  function hasRoom({ hands, meanBytes }: Lane): boolean {
    const isAlone = nowMs() >= othersUntilMs;
    return isAlone || hands.size < LEAST_REQUESTS || (hands.size + 1) * meanBytes <= BESIDE_OTHERS_BYTES;
  }

  function dropSlow({ hands }: Lane): void {
    const now = nowMs();
    for (const hand of hands) if (hand.slowMs <= now) hands.delete(hand);
  }

  function next(lane: Lane): void {
    while (lane.waiting.length > 0 && hasRoom(lane)) lane.waiting.shift()?.();
    if (lane.waiting.length === 0) return;
    lane.timer ??= setTimeout(() => {
      lane.timer = undefined;
      dropSlow(lane);
      next(lane);
    }, SLOW_MS);
  }

  return {
    begin(tenant) {
      noteTenant(tenant);
      const lane = lanes.get(tenant) ?? { meanBytes: FIRST_BYTES, hands: new Set(), waiting: [], timer: undefined };
      lanes.set(tenant, lane);
      const hand: Hand = { slowMs: 0 };
      const take = (): Turn => {
        hand.slowMs = nowMs() + SLOW_MS;
        lane.hands.add(hand);
        return turn;
      };
      const turn: Turn = {
        arrived(bytes) {
          lane.meanBytes += (bytes - lane.meanBytes) / SIZES;
          hand.slowMs = Number.POSITIVE_INFINITY;
          lane.hands.add(hand);
        },
        charged(more) {
          lane.meanBytes += more / SIZES;
        },
        end() {
          lane.hands.delete(hand);
          next(lane);
          if (lane.hands.size > 0 || lane.waiting.length > 0 || lanes.get(tenant) !== lane) return;
          lanes.delete(tenant);
          clearTimeout(lane.timer);
        },
      };
      if (lane.waiting.length === 0 && hasRoom(lane)) return take();
      return new Promise((resolve) => {
        lane.waiting.push(() => resolve(take()));
        next(lane);
      });
    },
  };
}
