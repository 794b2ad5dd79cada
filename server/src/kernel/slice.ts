import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { FastifyInstance } from 'fastify';
import type { Count } from './own-metrics.ts';
import type { TenantId } from './tenant.ts';

export interface Health {
  status: 'ok' | 'degraded' | 'failed';
  /** A sentence for the operator; absent when ok. */
  detail?: string;
}

export interface GrpcMount {
  /** Whose certificates are taken; default: agents'. One of the other kind is refused. */
  speakers?: 'agents' | 'runners';
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
}

export interface RowsOfTable {
  table: string;
  rows: Record<string, unknown>[];
}

/** Tables of both stores; each belongs to exactly one slice (testing/erasure.int.test.ts). */
export interface OwnedTables {
  relational?: readonly string[];
  columns?: readonly string[];
}

/** Rows that went, by table. */
export type ErasedRows = Readonly<Record<string, number>>;

/** Whom an erasure is about: a person's accounts in the tenant, their address, and devices. */
export interface Subject {
  accounts: readonly string[];
  /** Lower case. */
  email: string | undefined;
  agents: readonly string[];
  /** Those of the agents that are devices of the tenant now; the others may be erased already, or nobody's. */
  devices: readonly string[];
}

/** What a slice stores, and what becomes of it with its tenant. */
export interface KeptData {
  owns: OwnedTables;
  /** All rows of one tenant, for its export. */
  exportRows: (tenant: TenantId) => AsyncIterable<RowsOfTable>;
  /**
   * Removes what the tenant has here, for good; gives how many rows went, by table. Idempotent, and called again after a failure half-way.
   * The tenant's access has ended by then, and the bus brings nothing of it.
   */
  eraseTenant: (tenant: TenantId) => Promise<ErasedRows>;
  /** The same of one person and of the devices that are theirs; what others have together with them stays. */
  eraseSubject: (tenant: TenantId, subject: Subject) => Promise<ErasedRows>;
}

/** A slice says what it keeps, or why there is nothing to export and to erase. */
export type SliceData = KeptData | { keepsNothing: string };

export const keepsNothing = <Why extends string>(why: Why): { keepsNothing: Why } => ({ keepsNothing: why });

/** What a slice keeps; undefined where it keeps nothing. */
export const keptData = ({ data }: { data: SliceData }): KeptData | undefined => ('keepsNothing' in data ? undefined : data);

/** What a process of a fleet does (SVC_ROLES); one alone does all of it. */
export type Role = 'api' | 'ingest' | 'consume' | 'evaluate';

export const EVERY_ROLE: readonly Role[] = ['api', 'ingest', 'consume', 'evaluate'];

/** Whether this process does that work. */
export type HasRole = (role: Role) => boolean;

/**
 * What every feature gives to compose/, which mounts, subscribes, checks and drains all of them alike.
 * Write `createX(deps) { return {...} satisfies Slice }`: an annotation would erase the procedures' types from AppRouter.
 */
export interface Slice {
  name: string;
  /** It starts in processes that have one of these. Routes are mounted in all, procedures where `api`, gRPC where `ingest` is served. */
  roles: readonly Role[];
  /** Routes outside the API: /auth, /ingest, /agent. */
  routes?: (app: FastifyInstance) => void | Promise<void>;
  grpc?: readonly GrpcMount[];
  /** Begins to consume, to listen, to do periodic work; called once, after all slices exist. A slice of several roles asks for each. */
  start?: (hasRole: HasRole) => void | Promise<void>;
  /** tRPC procedures by name; REST routes come from their meta. */
  procedures?: object;
  /** Name under which its procedures are called where it is not the one in compose/slices.ts. */
  namespace?: string;
  /** For readiness. A rejection counts as failed. */
  health?: () => Promise<Health>;
  /** Numbers since the start of this process, read whenever its metrics are. */
  counts?: () => readonly Count[];
  data: SliceData;
  /** Stops taking work, finishes what was accepted. */
  close?: () => Promise<void>;
}
