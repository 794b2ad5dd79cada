import { channel } from 'node:diagnostics_channel';
import { availableParallelism } from 'node:os';
import { hashPassword, sha256, verifyPassword } from '#crypto';
import { networkOf, siteOf } from '#kernel';
import { createBoundedWork } from '../domain/bounded-work.ts';
import type { Asker } from '../domain/lanes.ts';
import type { Attempts } from './attempts.ts';

/** Two derivations at a time, one where that would take every core: a flood of sign-ins starves nothing else. */
const HASHING = {
  ...{ maxRunning: availableParallelism() > 2 ? 2 : 1, maxRunningOfLane: 1 },
  ...{ maxWaiting: 64, maxWaitingOfSite: 32, maxWaitingOfAccount: 8 },
};
const MOST_PROVEN = 10_000;

/** Who waits for a derivation of a password, and who has it: the order of turns, for whoever wants to see it. Without e-mail addresses. */
export const PASSWORD_TURNS = 'svc.identity.password_turns';
export interface PasswordTurn {
  event: 'waits' | 'starts';
  site: string;
}

export interface Claimant {
  /** That the form came from. */
  address: string;
  email: string;
}

/** PBKDF2, bounded in how many run at once, fairly between sites and between accounts. */
export interface Passwords {
  /** AppError `rate_limited` or `unavailable` where too many wait. */
  hash(password: string, who: Claimant): Promise<string>;
  /**
   * Whether this is the account's password. Takes as long for an account that does not exist (`stored` undefined), and is then false;
   * AppError `rate_limited` after too many wrong ones, and as above.
   */
  prove(claim: Claimant & { password: string; stored: string | undefined }): Promise<boolean>;
}

/** Accounts with the sites from which they were proven lately, by their hash; the oldest go. */
function createProven() {
  const known = new Set<string>();
  const keyOf = ({ site, account }: Omit<Asker, 'isKnown'>): string => sha256(`${site} ${account}`).toString('base64');
  return {
    has: (asker: Omit<Asker, 'isKnown'>): boolean => known.has(keyOf(asker)),
    add(asker: Asker): void {
      const key = keyOf(asker);
      known.delete(key);
      known.add(key);
      if (known.size > MOST_PROVEN) known.delete(known.values().next().value ?? '');
    },
  };
}

/** `iterations` of tests that sign in often; the count of #crypto unless told. */
export function createPasswords(attempts: Attempts, iterations: () => number | undefined = () => undefined): Passwords {
  const turns = channel(PASSWORD_TURNS);
  const proven = createProven();
  const run = createBoundedWork(HASHING, (event, { site }) => turns.publish({ event, site } satisfies PasswordTurn));
  const askerOf = ({ address, email }: Claimant): Asker => {
    const lanes = { site: siteOf(networkOf(address)), account: email };
    return { ...lanes, isKnown: proven.has(lanes) };
  };
  return {
    hash: async (password, who) => await run(askerOf(who), () => hashPassword(password, iterations())),
    prove: async ({ password, stored, ...who }) =>
      await attempts.guard(who, async () => {
        const asker = askerOf(who);
        const { ok } = await run(asker, () => verifyPassword(password, stored, iterations()));
        if (ok) proven.add(asker);
        return ok;
      }),
  };
}
