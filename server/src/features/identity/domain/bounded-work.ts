import { AppError } from '#kernel';
import { type Asker, Lanes } from './lanes.ts';

export interface WorkBounds {
  maxRunning: number;
  /** Of one site, and of one account. */
  maxRunningOfLane: number;
  maxWaiting: number;
  maxWaitingOfSite: number;
  maxWaitingOfAccount: number;
}

export type WatchTurns = (event: 'waits' | 'starts', asker: Asker) => void;

interface Waiter extends Asker {
  start: () => void;
  refuse: (why: AppError) => void;
}

const RETRY = { retryAfterSeconds: 5 };
const tooMany = () => new AppError('unavailable', 'Too many people are signing in right now. Try again.', RETRY);
const tooManyOfLane = () => new AppError('rate_limited', 'Too many sign-ins at once. Wait 5 s and try again.', RETRY);

/** Of these, the one that holds most, the unknown before the known, the newest of several; undefined where it is no worse than the newcomer. */
function findToRefuse(among: Iterable<Waiter>, newcomer: Asker, loadOf: (asker: Asker) => number): Waiter | undefined {
  let victim: Waiter | undefined;
  const isWorse = (one: Waiter, other: Waiter): boolean =>
    one.isKnown === other.isKnown ? loadOf(one) >= loadOf(other) : other.isKnown;
  for (const one of among) if (!victim || isWorse(one, victim)) victim = one;
  if (!victim || victim.isKnown !== newcomer.isKnown) return newcomer.isKnown ? victim : undefined;
  return loadOf(victim) > loadOf(newcomer) + 1 ? victim : undefined;
}

/** Those that wait, in the order in which they came. */
class WaitingLine {
  private readonly waiters = new Set<Waiter>();
  private readonly lanes: Lanes;
  private readonly bounds: WorkBounds;

  constructor(lanes: Lanes, bounds: WorkBounds) {
    this.lanes = lanes;
    this.bounds = bounds;
  }

  /** AppError where neither the newcomer's lanes nor the line has room. */
  add(waiter: Waiter): void {
    const { lanes, bounds } = this;
    const siteLoad = (asker: Asker): number => lanes.siteOf(asker).waiting;
    const accountLoad = (asker: Asker): number => lanes.accountOf(asker).waiting;
    const all = [...this.waiters];
    if (accountLoad(waiter) >= bounds.maxWaitingOfAccount) {
      const own = all.filter(({ account }) => account === waiter.account);
      this.refuse(findToRefuse(own, waiter, siteLoad), tooManyOfLane());
    }
    if (siteLoad(waiter) >= bounds.maxWaitingOfSite) {
      const own = all.filter(({ site }) => site === waiter.site);
      this.refuse(findToRefuse(own, waiter, accountLoad), tooManyOfLane());
    }
    if (this.waiters.size >= bounds.maxWaiting) {
      const load = (asker: Asker): number => Math.max(siteLoad(asker), accountLoad(asker));
      this.refuse(findToRefuse(all, waiter, load), tooMany());
    }
    this.waiters.add(waiter);
    lanes.wait(waiter);
  }

  /** Takes the next one out of those that may start, of the known or of the others. */
  take(isKnown: boolean, mayStart: (asker: Asker) => boolean): Waiter | undefined {
    let next: Waiter | undefined;
    for (const one of this.waiters)
      if (one.isKnown === isKnown && mayStart(one) && (!next || this.lanes.isBefore(one, next))) next = one;
    if (next) this.remove(next);
    return next;
  }

  private remove(waiter: Waiter): void {
    this.waiters.delete(waiter);
    this.lanes.giveUp(waiter);
  }

  private refuse(waiter: Waiter | undefined, why: AppError): void {
    if (!waiter) throw why;
    this.remove(waiter);
    waiter.refuse(why);
  }
}

/**
 * Runs at most `maxRunning` works at a time, `maxRunningOfLane` of them for one site or account, and lets some more wait. Lanes take turns, so
 * that a site or an account which asks for a lot waits for itself, from however many addresses; accounts that were proven from their site before
 * and all others come alternately. Where a lane or the whole line is full, whoever has most waiting gives its newest up for one that
 * has less, and an unknown one for a known one; else the newcomer is refused: `rate_limited` for its lane's bound, `unavailable` for the line's.
 */
export function createBoundedWork(bounds: WorkBounds, watch: WatchTurns = () => {}) {
  const lanes = new Lanes();
  const line = new WaitingLine(lanes, bounds);
  let running = 0;
  let lastWasKnown = false;

  const mayStart = (asker: Asker): boolean =>
    running < bounds.maxRunning &&
    lanes.siteOf(asker).running < bounds.maxRunningOfLane &&
    lanes.accountOf(asker).running < bounds.maxRunningOfLane;

  const enter = (asker: Asker): void => {
    running += 1;
    lastWasKnown = asker.isKnown;
    lanes.start(asker);
    watch('starts', asker);
  };

  const startNext = (): void => {
    const next = line.take(!lastWasKnown, mayStart) ?? line.take(lastWasKnown, mayStart);
    if (!next) return;
    enter(next);
    next.start();
    startNext();
  };

  return async <T>(asker: Asker, work: () => Promise<T>): Promise<T> => {
    if (mayStart(asker)) enter(asker);
    else
      await new Promise<void>((start, refuse) => {
        line.add({ ...asker, start, refuse });
        watch('waits', asker);
      });
    try {
      return await work();
    } finally {
      running -= 1;
      lanes.end(asker);
      startNext();
    }
  };
}
