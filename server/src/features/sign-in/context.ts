import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { SignInConfig } from './config.ts';

/** Cookies of this instance, by their short names. */
export interface Cookies {
  /** Of the built-in issuer, which sets its own below /auth. */
  readonly issuerNames: { session: string; interaction: string; resume: string };
  read(request: FastifyRequest, name: string): string | undefined;
  /** Of all our cookies that the browser sent, in its order. */
  names(request: FastifyRequest): string[];
  /** For this browser session without `maxAgeSeconds`. */
  set(reply: FastifyReply, name: string, cookie: { value: string; maxAgeSeconds?: number }): void;
  clear(reply: FastifyReply, name: string): void;
  /** Forgets what the built-in issuer remembers of the person who signed in last. */
  clearIssuer(reply: FastifyReply): void;
}

/** Sealed JSON values. */
export interface Vault {
  seal(value: unknown, context: string): Buffer;
  open<T>(sealed: Buffer, context: string): T;
}

export interface Sessions {
  /** Gives the secret for the cookie; AppError `unauthorized` when the password was replaced since the sign-in began. */
  open(session: {
    accountId: string;
    tenant: TenantId;
    client: string;
    since: Date;
    idToken: string | undefined;
  }): Promise<string>;
  find(secret: string): Promise<{ id: string; account_id: string } | undefined>;
  close(secret: string): Promise<{ idToken: string | undefined } | undefined>;
  /** When a new password ended the session of this cookie; undefined when that is not what ended it. */
  findPasswordEnd(secret: string): Promise<Date | undefined>;
  list(accountId: string): Promise<{ id: string; created_at: Date }[]>;
}

/** Who the identity provider says has just signed in. */
export interface ProvenPerson {
  issuer: string;
  subject: string;
  name: string;
  email: string;
  emailVerified: boolean;
  /** Groups the provider names; empty where it names none. */
  groups: readonly string[];
  idToken: string | undefined;
}

export type LinkKind = 'claim' | 'invite';

/** A link as its holder presents it; only `open` ones may be used. */
export interface PresentedLink {
  tenant: TenantId;
  id: string;
  kind: LinkKind;
  email: string;
  /** Set on a link that gives this account a new password and no roles. */
  accountId: string | undefined;
  state: 'open' | 'used' | 'expired' | 'revoked';
}

export interface JoinForm {
  email: string;
  name: string;
  password: string;
  again: string;
  /** That the form came from. */
  address: string;
}

/** Who joined, or why the account that there is already has to prove itself first. */
export type Joined = { accountId: string } | { accountId: undefined; fault: string };

/** What signing in needs of the slice that knows people, their credentials and their sessions. */
export interface People {
  cookies: Cookies;
  sessions: Sessions;
  vault: Vault;
  /** Refuses a state change that a page of ours did not send. */
  demandOwnOrigin(request: FastifyRequest): void;
  /** Counts an attempt of this address; AppError `rate_limited` with the seconds to wait when there were too many. */
  countAttempt(address: string): Promise<void>;
  /** The account whose password this is; undefined for a wrong one and for no such account, after the same time. */
  provePassword(claim: { address: string; email: string; password: string }): Promise<string | undefined>;
  findAccount(id: string): Promise<{ id: string; email: string; name: string } | undefined>;
  findLink(secret: string): Promise<PresentedLink | undefined>;
  /** Uses the link up; AppError `validation` for what the reader can mend, `conflict` when it is gone. */
  join(link: PresentedLink, form: JoinForm): Promise<Joined>;
  /** The account and tenant in which the session begins; AppError `forbidden` for a member of no tenant. */
  admit(
    person: ProvenPerson,
    wishes: { link: string | undefined; tenant: string | undefined; since: Date },
  ): Promise<{ accountId: string; tenant: TenantId }>;
}

export interface SignInContext {
  relational: Relational;
  clock: Clock;
  config: SignInConfig;
  people: People;
  log: FastifyBaseLogger;
  /** Steps by which sign-ins begin, of strangers and as many of known sites; for tests. */
  stepsPerMinute?: number | undefined;
}
