import type { HypothesisKind } from '@svc/contracts/causes/root-cause';
import type { ChangeKind } from '@svc/contracts/changes/kinds';
import type { Plane } from '@svc/contracts/incidents/kinds';
import type { RunFault } from '@svc/contracts/tests/run-report';
import type { Cause } from '@svc/contracts/verdict';

/**
 * An incident whose cause is known: what is there, what breaks, and what was changed. Everything that tests, devices, services and visitors
 * tell of it follows from these (`signals.ts`); nothing here says what the product should make of it but `causes`. Times are milliseconds
 * from the moment in which the harm begins.
 */
export interface Scenario {
  name: string;
  family: string;
  /** What is true, in words. */
  truth: string;
  /** The true causes, any of which may be told first; none: neither a change nor a layer that is measured, so the answer is "unknown". */
  causes: readonly TrueCause[];
  /** The incident that is looked at: the first one that a signal of this plane opened. */
  asks: Plane;
  /** Of these the one that is about this target. */
  about?: string;
  estate: Estate;
  faults: readonly Fault[];
  /** The true ones and the decoys. */
  changes: readonly PlannedChange[];
  /** Of all that is random in it. */
  seed: number;
}

export type TrueCause =
  | { kind: 'change'; label: string }
  /** `subject` where it has to be told as well: a service, a database, a site. */
  | { kind: Exclude<HypothesisKind, 'change' | 'unknown'>; subject?: string };

/** What a tenant has. */
export interface Estate {
  host: string;
  /** The first one answers for the host; none: nobody sends traces. */
  services: readonly ServicePlan[];
  visitsPerMinute: number;
  tests: readonly TestPlan[];
  sites: readonly SitePlan[];
  users: UsersPlan | undefined;
  /** Whether failing calls between services are signals of their own. */
  watchesEdges: boolean;
}

export interface ServicePlan {
  name: string;
  /** Median of its own work. */
  workMs: number;
  calls: readonly CallPlan[];
}

/** A service of the estate, or something outside that sends no spans. */
export type CallPlan = { to: string } & ({ kind: 'service' } | { kind: 'database' | 'host'; medianMs: number });

export interface TestPlan {
  name: string;
  target: string;
  /** Names of places. */
  runners: readonly string[];
  /** A run that takes longer fails. */
  limitMs: number;
}

export interface SitePlan {
  name: string;
  gateway: string;
  devices: number;
}

export interface UsersPlan {
  app: string;
  viewsPerMinute: number;
  /** What a page takes beside its first answer. */
  renderMs: number;
}

interface Lasting {
  /** From the beginning of the harm; 0 unless told. */
  fromMs?: number;
}

export type Fault = Lasting &
  (
    | { what: 'service'; service: string; errors?: number; addMs?: number; line: string }
    | { what: 'outside'; name: string; errors?: number; addMs?: number; line: string }
    /** More visits than usual, under which the first service is slower and turns some away. */
    | { what: 'load'; times: number; addMs: number; errors?: number; line: string }
    /** Runs that do not get as far as the host, from all places or some. */
    | { what: 'way'; fault: RunFault; error: string; share: number; runners?: readonly string[]; keepsVisitors?: boolean }
    /** A phase takes longer from everywhere. */
    | { what: 'phase'; phase: 'dns' | 'connect' | 'tls'; addMs: number }
    /** Another certificate is shown, or the one that is shown has run out. */
    | { what: 'certificate'; how: 'expired' | 'untrusted' | 'wrong_name' }
    | { what: 'devices'; site: string; cause: Exclude<Cause, 'none' | 'unknown'>; share: number }
    | { what: 'pages'; errors?: number; addMs?: number }
  );

export type FaultOf<What extends Fault['what']> = Extract<Fault, { what: What }>;

export interface PlannedChange {
  /** Told by whoever delivers it as its commit, so that it is found again. */
  label: string;
  kind: ChangeKind;
  title: string;
  target: string | null;
  prefix: string | null;
  atMs: number;
  /** As a program of the customer's own says it, or as GitHub tells of a deployment (its target is a host then). */
  via: 'generic' | 'forge_a';
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
