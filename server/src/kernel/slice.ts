import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { FastifyInstance } from 'fastify';
import type { TenantId } from './tenant.ts';

export interface Health {
  status: 'ok' | 'degraded' | 'failed';
  /** A sentence for the operator; absent when ok. */
  detail?: string;
}

export interface GrpcMount {
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
}

export interface RowsOfTable {
  table: string;
  rows: Record<string, unknown>[];
}

/**
 * What every feature gives to compose/, which mounts, subscribes, checks and drains all of them alike.
 * Write `createX(deps) { return {...} satisfies Slice }`: an annotation would erase the procedures' types from AppRouter.
 */
export interface Slice {
  name: string;
  /** Routes outside the API: /auth, /ingest, /agent. */
  routes?: (app: FastifyInstance) => void | Promise<void>;
  grpc?: readonly GrpcMount[];
  /** Begins to consume from the bus; called once, after all slices exist. */
  start?: () => void | Promise<void>;
  /** tRPC procedures by name; REST routes come from their meta. */
  procedures?: object;
  health?: () => Promise<Health>;
  /** All rows of one tenant, for its export. */
  exportRows?: (tenant: TenantId) => AsyncIterable<RowsOfTable>;
  /** Stops taking work, finishes what was accepted. */
  close?: () => Promise<void>;
}
