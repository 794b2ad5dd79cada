import type { Principal } from './principal.ts';

/** What a mutation leaves behind. Opaque ids only, never a name or an address, so that erasing a person leaves the chain whole. */
export interface AuditEntry {
  actor: { kind: 'account' | 'api_token' | 'agent' | 'system'; id: string };
  /** noun.verb, for example `member.invite`. */
  action: string;
  object?: { type: string; id: string };
  detail?: Readonly<Record<string, string | number | boolean>>;
}

/** The actor of an entry written for a request. */
export const actorOf = (principal: Principal): AuditEntry['actor'] => ({ kind: principal.kind, id: principal.id });
