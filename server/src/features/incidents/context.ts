import type { ENTRY_KINDS, IncidentState } from '@svc/contracts/incidents/incident';
import type { Severity } from '@svc/contracts/incidents/signal';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { StepWindow } from './domain/slow-steps.ts';

export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Something became of an incident. */
export interface IncidentTransition {
  kind: EntryKind;
  incident: { id: string; number: number; status: IncidentState; severity: Severity; title: string; target: string | null };
  at: Date;
  /** An account's or a token's id, or `system`. */
  actor: string;
  signalId: string | null;
  detail: string;
}

/**
 * Told of transitions in the transaction that makes them, in their order: what it writes by `sql` is kept if and only if they are. A
 * rejection undoes them, so it does nothing that can fail for long, and nothing outside of the database.
 */
export type IncidentObserver = (sql: TenantSql, transitions: readonly IncidentTransition[]) => Promise<void>;

/** What a maintenance window can be for. */
export interface HeldBackQuestion {
  testId?: string | undefined;
  target?: string | undefined;
  site?: string | undefined;
}

/** What a shared cause is about. */
export interface SharedPlace {
  site: string;
  gateway: string | null;
  cause: string;
}

/** What compose/ gives to `createIncidents`. */
export interface IncidentsDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** Names of people and tokens by id; who is erased has none. */
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Who may change incidents: the only ones that an incident can be given to. */
  listPeople: (tenant: TenantId) => Promise<{ id: string; name: string }[]>;
  /** The words of a maintenance window in which a signal is held back; null for none. */
  heldBackBy?: (tenant: TenantId, what: HeldBackQuestion, at: Date) => Promise<string | null>;
  /** Devices that a shared cause hurts now, with names: asked when somebody looks who may see devices, and never kept. */
  listSharing?: (
    tenant: TenantId,
    place: SharedPlace,
  ) => Promise<readonly { id: string; name: string | null; since: Date | null }[]>;
  /** Ids of the devices of a place, whatever hurts them: asked when somebody looks who may see devices, and never kept. */
  listDevicesAt?: (tenant: TenantId, place: Omit<SharedPlace, 'cause'> & { limit: number }) => Promise<readonly string[]>;
  /** What each of them said in each step of a window, null for nothing. */
  readCauses?: (
    tenant: TenantId,
    query: StepWindow & { agentIds: readonly string[] },
  ) => Promise<ReadonlyMap<string, readonly (string | null)[]>>;
  observers?: readonly IncidentObserver[];
  /** Counts what became of incidents, once it is committed. */
  onCommitted?: (tenant: TenantId, kinds: readonly EntryKind[]) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}
