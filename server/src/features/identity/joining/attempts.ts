import type { FastifyBaseLogger } from 'fastify';
import { AppError, type Clock, networkOf } from '#kernel';
import type { Relational } from '#relational';
import { hashSecret } from '../secrets.ts';

/** Every form and every wrong link of an address (docs/limits.md). */
const OF_ADDRESS = { max: 10, windowSeconds: 60 };
/** Wrong passwords of one account from anywhere. Beyond them each address may try it once a minute: its owner is never shut out. */
const OF_ACCOUNT = { max: 30, windowSeconds: 900 };
const OF_ADDRESS_AND_ACCOUNT = { max: 1, windowSeconds: 60 };
const MAX_ROWS = 50_000;
/** Refused addresses that one process remembers; beyond them it starts anew and asks the database. */
const MAX_REMEMBERED = 10_000;
const TRIM_EVERY = 500;

export interface Attempts {
  /** Counts an attempt of this address; AppError `rate_limited` with the seconds to wait when there were too many. */
  count(address: string): Promise<void>;
  /** Runs the check of a password for this account and counts it unless it was right; AppError `rate_limited` as above. */
  guard(who: { address: string; email: string }, isRight: () => Promise<boolean>): Promise<boolean>;
}

const tooMany = (seconds: number): AppError =>
  new AppError('rate_limited', `Wait ${seconds} s and try again.`, { retryAfterSeconds: seconds });

interface AttemptsDeps {
  relational: Pick<Relational, 'directory'>;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Attempts to sign in, counted in the database and so over all replicas; at most some `MAX_ROWS` keys are kept, the oldest go first. */
export function createAttempts({ relational, clock, log }: AttemptsDeps): Attempts {
  let counted = 0;
  /** Until when an address is refused: asking the database again for each of its attempts would only make others wait. */
  const refusedUntilMs = new Map<string, number>();

  const trim = () => {
    relational
      .directory('trim_attempts', [new Date(clock.now()), MAX_ROWS])
      .catch((error: unknown) => log.warn({ err: error }, 'old sign-in attempts were not removed'));
  };

  /** Seconds to wait; 0 when it was counted. */
  const take = async (key: Buffer, limit: { max: number; windowSeconds: number }, now: Date): Promise<number> => {
    counted += 1;
    if (counted % TRIM_EVERY === 0) trim();
    const args = [key, limit.max, limit.windowSeconds, now];
    return (await relational.directory<{ wait_seconds: number }>('count_attempt', args))[0]?.wait_seconds ?? 0;
  };

  const refuse = (seconds: number, why: string): AppError => {
    log.warn(why);
    return tooMany(seconds);
  };

  return {
    async count(address) {
      const network = networkOf(address);
      const nowMs = clock.now();
      const leftMs = (refusedUntilMs.get(network) ?? 0) - nowMs;
      // More than the window is left only where the clock was set back.
      if (leftMs > 0 && leftMs <= OF_ADDRESS.windowSeconds * 1000) throw tooMany(Math.ceil(leftMs / 1000));
      refusedUntilMs.delete(network);
      const wait = await take(hashSecret(`address ${network}`), OF_ADDRESS, new Date(nowMs));
      if (wait === 0) return;
      if (refusedUntilMs.size >= MAX_REMEMBERED) refusedUntilMs.clear();
      refusedUntilMs.set(network, nowMs + wait * 1000);
      throw refuse(wait, 'too many sign-in attempts from one address');
    },
    async guard({ address, email }, isRight) {
      const now = new Date(clock.now());
      const account = hashSecret(`account ${email}`);
      const isContested = (await take(account, OF_ACCOUNT, now)) > 0;
      const counted = isContested ? hashSecret(`both ${networkOf(address)} ${email}`) : account;
      if (isContested) {
        const wait = await take(counted, OF_ADDRESS_AND_ACCOUNT, now);
        if (wait > 0) throw refuse(wait, 'too many sign-in attempts for one account');
      }
      const right = await isRight().catch(async (error: unknown) => {
        // Nobody learnt whether it was right: it was no attempt.
        await relational.directory('forgive_attempt', [counted, now]);
        throw error;
      });
      if (right && !isContested) await relational.directory('forgive_attempt', [account, now]);
      return right;
    },
  };
}
