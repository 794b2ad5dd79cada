import { availableParallelism, cpus } from 'node:os';
import type { TenantId } from '#kernel';

/** Of the cores that other programs leave to this one: what floods may take of them beside others, who wait for a core at each step otherwise. */
const TARGET = 0.6;
/** A tenant is beside another for so long after its last request. */
const OTHERS_MS = 10_000;
/** Who brings so many times what another one brings is held for it; tenants that bring alike wait for one another in any case. */
const TIMES = 8;
/** Bytes a millisecond of who is never held, however little others bring. */
const LITTLE = 1024;
const LOOK_MS = 1000;
/** What was sent is stored a second later, so that looks that come too fast would swing. */
const [SLOWER, FASTER] = [0.6, 1.25];
/** Of what a flood brought before: less is never left to it, although another program may take all the cores that it gives up. */
const LEAST = 0.5;
const MOST_HOLD_MS = 1000;

/** Spreads the answers to a tenant that floods, so that some of the processor is free for the others; alone it is never held. */
export interface Headroom {
  /** Milliseconds for which the answer to a request of so many bytes is held back. */
  holdMs(tenant: TenantId, bytes: number): number;
}

interface Sender {
  bytes: number;
  /** Bytes a millisecond, in the last look. */
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
  /** Bytes a millisecond that each flood may bring. */
  let allowed = Number.POSITIVE_INFINITY;
  let least = 0;

  const isFlood = ({ rate }: Sender): boolean => rate > LITTLE && rate > TIMES * lightest;

  /** The greatest rate of a flood; 0 where nobody floods beside another. */
  function count(ms: number): number {
    lightest = Number.POSITIVE_INFINITY;
    let heaviest: Sender | undefined;
    for (const [tenant, sender] of senders) {
      if (nowMs() - sender.seenMs > OTHERS_MS) {
        senders.delete(tenant);
        continue;
      }
      sender.rate = sender.bytes / ms;
      sender.bytes = 0;
      lightest = Math.min(lightest, sender.rate);
      if (sender.rate >= (heaviest?.rate ?? 0)) heaviest = sender;
    }
    return heaviest && isFlood(heaviest) ? heaviest.rate : 0;
  }

  function look(): void {
    const ms = nowMs() - lookedMs;
    if (ms < LOOK_MS) return;
    lookedMs = nowMs();
    const flood = count(ms);
    const used = senders.size > 1 ? usedShare() : 0;
    if (flood === 0 || allowed > 2 * flood) allowed = Number.POSITIVE_INFINITY;
    // Over a while in which nobody came nothing is known.
    if (flood === 0 || ms > 2 * LOOK_MS) return;
    if (allowed === Number.POSITIVE_INFINITY) {
      if (used <= TARGET) return;
      allowed = flood;
      least = flood * LEAST;
    }
    allowed = Math.max(least, allowed * Math.min(Math.max(TARGET / used, SLOWER), FASTER));
  }

  return {
    holdMs(tenant, bytes) {
      const now = nowMs();
      const sender = senders.get(tenant) ?? { bytes: 0, rate: 0, seenMs: now, paidMs: 0 };
      senders.set(tenant, sender);
      sender.bytes += bytes;
      sender.seenMs = now;
      look();
      if (allowed === Number.POSITIVE_INFINITY || !isFlood(sender)) return 0;
      const hold = Math.min(Math.max(sender.paidMs - now, 0), MOST_HOLD_MS);
      sender.paidMs = now + hold + bytes / allowed;
      return hold;
    },
  };
}
