import type { RaisedSignal, SignalKind } from '@svc/contracts/incidents/signal';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import type { Clock, TenantId } from '#kernel';
import type { Fence, Relational } from '#relational';
import type { Telemetry } from '#telemetry';
import type { RumAppsThread } from './apps-port.ts';
import type { Usual, ViewReader } from './reader.ts';

/** What runs of tests of one host came to, without those in maintenance, on demand and those that measured nothing. */
export interface HostOutcome {
  passed: number;
  failed: number;
  /** Those of which a run failed, most often first. */
  failing: readonly { id: string; name: string; runs: number; failed: number }[];
}

/** By canonical host; one that no http, https or browser test of the tenant names is left out. */
export type OutcomesOfHosts = (
  tenant: TenantId,
  hosts: readonly string[],
  span: { fromMs: number; toMs: number },
) => Promise<ReadonlyMap<string, HostOutcome>>;

export interface RumScope {
  plane: 'rum';
  kind: SignalKind;
  scope: string;
  fence?: Fence;
}

/** An incident as it is drawn beside figures. */
export interface MarkedIncident {
  id: string;
  number: number;
  title: string;
  from: string;
  to: string | null;
}

export interface MarkedChange {
  id: string;
  number: number;
  title: string;
  at: string;
}

/** What compose/ gives to `createRumViews`. */
export interface RumViewsDeps {
  bus: Bus;
  relational: Relational;
  telemetry: Telemetry;
  /** Made after this slice, asked once all are there. */
  apps: () => RumAppsThread;
  outcomesOfHosts: OutcomesOfHosts;
  signals: {
    settle(tenant: TenantId, scope: RumScope, present: readonly RaisedSignal[]): Promise<void>;
    openKeys(
      tenant: TenantId,
      kind: SignalKind,
    ): Promise<readonly { dedupKey: string; incident: { id: string; number: number } | null }[]>;
  };
  /** Incidents of a target that were open at some time of a span. */
  incidentsOf: (tenant: TenantId, target: string, span: { fromMs: number; toMs: number }) => Promise<readonly MarkedIncident[]>;
  /** Changes of a target in a span, the newest first. */
  changesOf: (tenant: TenantId, target: string, span: { fromMs: number; toMs: number }) => Promise<readonly MarkedChange[]>;
  /** In the demo's build views may be older than their coming: they count as stored when they were received. */
  takesPast?: boolean;
  clock: Clock;
  log: FastifyBaseLogger;
}

export interface RumViewsContext extends RumViewsDeps {
  reader: ViewReader;
  /** By app and host. */
  usualOf: (tenant: TenantId) => Promise<ReadonlyMap<string, Usual>>;
}
