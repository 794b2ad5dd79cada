import type { Principal } from './principal.ts';

/** What a mutation leaves behind. Opaque ids only, never a name or an address, so that erasing a person leaves the chain whole. */
export interface AuditEntry {
  actor: { kind: 'account' | 'api_token' | 'agent' | 'system'; id: string };
  /** noun.verb, for example `member.invite`. */
  action: string;
  object?: { type: string; id: string };
  detail?: Readonly<Record<string, string | number | boolean>>;
  /**
   * What a change of this device replaced, and with what; null for nothing. May hold names and addresses: kept beside the trail, where
   * erasing the device or the person removes it.
   */
  change?: { agentId: string; before: string | null; after: string | null };
}

/** The actor of an entry written for a request. */
export const actorOf = (principal: Principal): AuditEntry['actor'] => ({ kind: principal.kind, id: principal.id });
