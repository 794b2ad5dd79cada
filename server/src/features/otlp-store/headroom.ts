import { availableParallelism, cpus } from 'node:os';
import type { TenantId } from '#kernel';

/** Of the cores that other programs leave to this one: what floods may take of them beside others, who wait for a core at each step otherwise. */
const TARGET = 0.45;
/** While the store merges it takes a core for a second or two. From this share on in one look a flood makes room at once, by the square of what is over. */
const HIGH = 0.6;
/** Looks that it takes to correct what a flood may bring in the mean: one that followed each look would be at its greatest when the next merge begins. */
const LOOKS = 28;
/** A tenant is beside another for so long after its last request. */
const OTHERS_MS = 10_000;
/** Who brings so many times what another one brings is held for it; tenants that bring alike wait for one another in any case. */
const TIMES = 8;
/** Bytes a millisecond of who is never held, however little others bring. */
const LITTLE = 1024;
const LOOK_MS = 250;
/** Less counts as much: a look without any says little of the next one. */
const LEAST_USED = 0.2;
/** What a sender brings comes in batches: from look to look its rate falls by so much of the difference. */
const RATE_FALLS = 0.25;
/** Of what a flood brought in its first looks: less is never left to it, although another program may take all the cores that it gives up. */
const LEAST = 0.25;
const MOST_HOLD_MS = 1000;

/** Spreads the answers to a tenant that floods, so that some of the processor is free for the others; alone it is never held. */
export interface Headroom {
  /** Milliseconds for which the answer to a request of so many bytes is held back. */
  holdMs(tenant: TenantId, bytes: number): number;
}

interface Sender {
  bytes: number;
  /** Bytes a millisecond, the most of about the last second. */
  rate: number;
  seenMs: number;
  /** When the answers that it has had so far are used up. */
  paidMs: number;
}

/** Used and left over by all programs, and used by this one: milliseconds of one core. */
function readCpu() {
  const all = cpus().map(({ times }) => times);
  const idle = all.reduce((sum, times) => sum + times.idle, 0);
  const { user, system } = process.cpuUsage();
  return { idle, own: (user + system) / 1000, atMs: performance.now() };
}

/** Gives what this process took, since the last call, of the cores that others left to it: 0 to 1. */
export function createUsedShare(read: typeof readCpu = readCpu, cores: number = availableParallelism()): () => number {
  let before = read();
  return () => {
    const now = read();
    const [own, idle, ms] = [now.own - before.own, now.idle - before.idle, now.atMs - before.atMs];
    before = now;
    if (ms <= 0 || own <= 0) return 0;
    // Where a container has fewer cores than the machine, the machine's idle ones are not ours.
    return Math.min(1, Math.max(own / (own + Math.max(idle, 0)), own / (ms * cores)));
  };
}

export function createHeadroom(
  usedShare: () => number = createUsedShare(),
  nowMs: () => number = () => performance.now(),
): Headroom {
  const senders = new Map<TenantId, Sender>();
  let lookedMs = nowMs();
  let lightest = 0;
  /** Bytes a millisecond that each flood may bring in the mean, and now. */
  let steady = Number.POSITIVE_INFINITY;
  let allowed = Number.POSITIVE_INFINITY;
  let least = 0;
  let looks = 0;

  const isFlood = (rate: number): boolean => rate > LITTLE && rate > TIMES * lightest;

  /** The greatest rate of a flood; 0 where nobody floods beside another. */
  function count(ms: number): number {
    lightest = Number.POSITIVE_INFINITY;
    let heaviest = 0;
    for (const [tenant, sender] of senders) {
      if (nowMs() - sender.seenMs > OTHERS_MS) {
        senders.delete(tenant);
        continue;
      }
      const rate = sender.bytes / ms;
      sender.rate = Math.max(rate, sender.rate + (rate - sender.rate) * RATE_FALLS);
      sender.bytes = 0;
      lightest = Math.min(lightest, sender.rate);
      heaviest = Math.max(heaviest, sender.rate);
    }
    return isFlood(heaviest) ? heaviest : 0;
  }

  function adjust(used: number): void {
    looks = Math.min(looks + 1, LOOKS);
    steady = Math.max(least, steady * (TARGET / Math.max(used, LEAST_USED)) ** (1 / looks));
    allowed = Math.max(least, steady * Math.min(1, HIGH / used) ** 2);
  }

  function look(): void {
    const ms = nowMs() - lookedMs;
    if (ms < LOOK_MS) return;
    lookedMs = nowMs();
    const flood = count(ms);
    const used = senders.size > 1 ? usedShare() : 0;
    if (flood === 0 || steady > 2 * flood) steady = allowed = Number.POSITIVE_INFINITY;
    // Over a while in which nobody came nothing is known.
    if (flood === 0 || ms > 4 * LOOK_MS) return;
    if (steady === Number.POSITIVE_INFINITY) {
      if (used <= TARGET) return;
      steady = flood;
      least = flood * LEAST;
      looks = 0;
    }
    adjust(used);
  }

  return {
    holdMs(tenant, bytes) {
      const now = nowMs();
      const sender = senders.get(tenant) ?? { bytes: 0, rate: 0, seenMs: now, paidMs: 0 };
      senders.set(tenant, sender);
      sender.bytes += bytes;
      sender.seenMs = now;
      look();
      if (allowed === Number.POSITIVE_INFINITY || !isFlood(sender.rate)) return 0;
      const hold = Math.min(Math.max(sender.paidMs - now, 0), MOST_HOLD_MS);
      sender.paidMs = now + hold + bytes / allowed;
      return hold;
    },
  };
}
