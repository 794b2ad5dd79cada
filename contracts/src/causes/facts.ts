import type { Phase, RunFault } from '../tests/run-report.ts';
import type { Cause } from '../verdict.ts';

/**
 * What slices know about one incident, as each of them offers it: facts with a kind, a time and figures, bounded in number. They never leave
 * the server in this form; what people see is made of them (docs/contract/causes.md). Times are Unix milliseconds.
 */

/** What the facts are about. `from` is before the harm, so that what is usual is known; `since` is when the harm began. */
export interface EvidenceQuestion {
  target: string | null;
  prefix: string | null;
  site: string | null;
  fromMs: number;
  sinceMs: number;
  toMs: number;
  /** Tests that its signals name. */
  testIds: readonly string[];
  /** Services that its signals name, or that were found to be part of it. */
  services: readonly string[];
}

/** The runs of one test, over the time of the harm. */
export interface TestOutcomeFact {
  kind: 'test.outcome';
  testId: string;
  testName: string;
  testType: string;
  target: string;
  /** When it began to fail; of a test that passes, the end of the window. */
  atMs: number;
  failed: number;
  passed: number;
  /** Of how many of them, the newest, what follows is told; null: of all. */
  lookedAt: number | null;
  /** The most frequent one of those that failed; null where none did. */
  fault: RunFault | null;
  error: string | null;
  /** Names of runners. */
  failingFrom: readonly string[];
  passingFrom: readonly string[];
}

/** A phase that takes longer than it did. */
export interface TestPhaseFact {
  kind: 'test.phase';
  testId: string;
  testName: string;
  atMs: number;
  phase: Phase;
  usualMs: number;
  nowMs: number;
}

export interface TestCertificateFact {
  kind: 'test.certificate';
  testId: string;
  testName: string;
  atMs: number;
  notAfterMs: number;
  /** Another one was shown before; null: not in the window. */
  changedAtMs: number | null;
  trusted: boolean;
  nameMatches: boolean;
}

/** What slow devices of one place have in common. */
export interface DevicesShareFact {
  kind: 'devices.share';
  site: string;
  gateway: string | null;
  cause: Cause;
  affected: number;
  of: number;
  atMs: number;
}

/** Calls between two services, or of a service to a database, queue or host. */
export interface EdgeFact {
  kind: 'edge';
  source: string;
  target: string;
  edgeKind: 'call' | 'message' | 'database' | 'queue' | 'host';
  atMs: number;
  calls: number;
  errors: number;
  p95Ms: number | null;
  usualCallsPerMinute: number;
  callsPerMinute: number;
  usualErrorRatio: number;
  usualP95Ms: number | null;
}

/** What a service is asked for, by all who call it. */
export interface ServiceFact {
  kind: 'service';
  service: string;
  atMs: number;
  calls: number;
  errors: number;
  p95Ms: number | null;
  callsPerMinute: number;
  usualCallsPerMinute: number;
  usualErrorRatio: number;
  usualP95Ms: number | null;
  /** The target of the incident is this service, or is served by it. */
  isAsked: boolean;
}

/** The operation of a service that grew most against its own usual. */
export interface OperationFact {
  kind: 'operation';
  service: string;
  operation: string;
  atMs: number;
  calls: number;
  errors: number;
  p95Ms: number;
  usualP95Ms: number | null;
  usualErrorRatio: number;
}

/** Lines that say the same, of which there were none or few before. */
export interface LogPatternFact {
  kind: 'log.pattern';
  service: string;
  /** Without numbers and ids, at most 300 characters. */
  pattern: string;
  severity: 'warn' | 'error' | 'fatal';
  count: number;
  usualCount: number;
  atMs: number;
}

/** How people who visit are served. */
export interface UsersFact {
  kind: 'users';
  app: string;
  host: string;
  atMs: number;
  views: number;
  /** Share of views that had an error. */
  errorRatio: number;
  usualErrorRatio: number;
  p75LcpMs: number | null;
  usualP75LcpMs: number | null;
  isDegraded: boolean;
}

/** A recorded change, with its score as the correlation of changes makes it. */
export interface ChangeFact {
  kind: 'change';
  changeId: string;
  number: number | null;
  changeKind: 'deploy' | 'config' | 'route' | 'iac' | 'commit' | 'release' | 'other';
  title: string;
  target: string | null;
  prefix: string | null;
  url: string | null;
  atMs: number;
  /** 1.0 exact target, 0.8 inside of the prefix, 0.7 prefixes overlap, 0 neither. */
  topology: number;
  recency: number;
  score: number;
  /** The service that it changed, where that is one that the incident's target calls, and not the target. */
  dependency: string | null;
  /** The delivery said that it failed. */
  failed: boolean;
  /** By what its deliveries say it has not begun, or was called off: then it changed nothing, or may not have. */
  unapplied?: 'waiting' | 'cancelled' | undefined;
  /** What a person said of it. */
  verdict: 'cause' | 'ruled_out' | null;
}

export type EvidenceFact =
  | TestOutcomeFact
  | TestPhaseFact
  | TestCertificateFact
  | DevicesShareFact
  | EdgeFact
  | ServiceFact
  | OperationFact
  | LogPatternFact
  | UsersFact
  | ChangeFact;

export const EVIDENCE_PLANES = ['tests', 'endpoint', 'otlp', 'logs', 'rum', 'changes'] as const;
export type EvidencePlane = (typeof EVIDENCE_PLANES)[number];

/** What one plane knows, and in words what it could not look at. */
export interface PlaneEvidence {
  plane: EvidencePlane;
  facts: readonly EvidenceFact[];
  notMeasured: readonly string[];
}
