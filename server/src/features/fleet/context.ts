import type { SharedTold } from '@svc/contracts/agent/shared-told';
import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { AgentAuthority } from './authority/agent-authority.ts';
import type { AgentVerifier } from './authority/verify-agent.ts';

/** What the endpoint view keeps of an agent beside its readings; fleet is where it is changed. */
export interface AgentCopy {
  agentId: string;
  name: string | null;
  owner: string | null;
  site: string | null;
  os: string | null;
  osVersion: string | null;
  agentVersion: string | null;
  ring: string;
  state: string;
  pausedUntil: Date | null;
  simulated: boolean;
  enrolledAt: Date;
  lastContactAt: Date | null;
  /** Device's clock minus ours, milliseconds. */
  clockSkewMs: number;
  /** `window` or `headless`, null where the agent does not say. */
  face: string | null;
  missingPermissions: readonly string[];
  /** DISCLOSURE_STATES, null where the agent does not say. */
  disclosure: string | null;
}

/** What a device tells the person before it of the tenant that it belongs to. */
export interface TenantFacts {
  /** Empty where nobody named it. */
  organisation: string;
  /** People who may see what devices send. */
  readers: number;
}

/** What compose/ gives to `createFleet`. */
export interface FleetDeps {
  relational: Relational;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** Both run inside fleet's transaction, so that the view and the fleet cannot disagree. */
  writeAgentCopies: (sql: TenantSql, copies: readonly AgentCopy[]) => Promise<void>;
  removeAgentCopies: (sql: TenantSql, agentIds: readonly string[]) => Promise<void>;
  /** By agent id, what each may be told of other devices at its place; asked only where the tenant's policy allows it. */
  readShared: (tenant: TenantId) => Promise<ReadonlyMap<string, SharedTold>>;
  describeTenant: (tenant: TenantId) => Promise<TenantFacts>;
  log: FastifyBaseLogger;
  clock: Clock;
  /** Address that agents enrol at: SVC_PUBLIC_URL, or one of this host's own that another device can reach. */
  serverUrl: string;
  /** False while `serverUrl` names only this very machine. */
  reachable: boolean;
  /** host:port of the agents' listener as agents reach it (SVC_AGENT_PUBLIC_ADDR). */
  grpcAddr: string;
  /** PEM that port 8444's certificate is checked with; empty where the system's roots decide. */
  grpcCa: string;
  /** Base64url SHA-256 of the local CA's SubjectPublicKeyInfo; undefined where the system's roots decide. */
  pin: string | undefined;
  /** The policy of a tenant that has none of its own yet (SVC_ENDPOINT_TRACE_TARGETS, SVC_ENDPOINT_SESSION_TARGETS). */
  seedTargets: { trace: readonly string[]; session: readonly string[] };
  /** Enrolments a minute from one address; 0 disables the bound. */
  enrollRatePerMinute: number;
  /** The server's protocol version; injected so that tests can be two apart. */
  protocol?: number;
}

/** The slice's own parts beside what it was given. */
export interface FleetContext extends FleetDeps {
  authority: AgentAuthority;
  verifier: AgentVerifier;
}

export type TenantAgent = { tenant: TenantId; agentId: string };
