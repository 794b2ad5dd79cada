import type { FastifyBaseLogger } from 'fastify';
import type { Cookies } from './access/cookies.ts';
import { demandOwnOrigin } from './access/own-origin.ts';
import type { Sessions } from './access/sessions.ts';
import { normaliseEmail } from './domain/password-rules.ts';
import { type AdmitDeps, admitPerson, type ProvenPerson, type Wishes } from './joining/admit.ts';
import { createAttempts } from './joining/attempts.ts';
import { type JoinForm, joinWithPassword, resetPassword } from './joining/join.ts';
import { createPasswords } from './joining/passwords.ts';
import { findAccount, findPasswordAccount } from './people/accounts.ts';
import { findLink, type PresentedLink } from './people/links.ts';
import type { Vault } from './secrets.ts';

export interface SignInVerbsDeps extends AdmitDeps {
  cookies: Cookies;
  sessions: Sessions;
  vault: Vault;
  log: FastifyBaseLogger;
  /** As createPasswords. */
  passwordIterations?: (() => number | undefined) | undefined;
}

/** What the pages below /auth do with people, links, passwords and sessions; the slice sign-in gets it from compose/. */
export function createSignInVerbs(deps: SignInVerbsDeps) {
  const { relational, cookies, sessions, vault } = deps;
  const attempts = createAttempts(deps);
  const passwords = createPasswords(attempts, deps.passwordIterations);
  const joining = { ...deps, passwords };
  return {
    ...{ cookies, sessions, vault, demandOwnOrigin },
    countAttempt: attempts.count,
    async provePassword({ address, email, password }: { address: string; email: string; password: string }) {
      const known = normaliseEmail(email);
      const account = known === undefined ? undefined : await findPasswordAccount(relational, known);
      const stored = account?.password_hash ?? undefined;
      const proven = await passwords.prove({ address, email: known ?? '', password, stored });
      return proven ? account?.id : undefined;
    },
    findAccount: (id: string) => findAccount(relational, id),
    findLink: (secret: string) => findLink(deps, secret),
    join: async ({ accountId, ...link }: PresentedLink, form: JoinForm) =>
      accountId === undefined
        ? await joinWithPassword(joining, { ...link, accountId }, form)
        : await resetPassword(joining, { ...link, accountId }, form),
    admit: (person: ProvenPerson, wishes: Wishes) => admitPerson(deps, person, wishes),
  };
}
