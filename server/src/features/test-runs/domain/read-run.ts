import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { readCanonicalRun } from '@svc/contracts/tests/canonical-run';
import {
  type Assertion,
  type CertificateFacts,
  NOT_RUN_FAULTS,
  type Phase,
  type RunFault,
} from '@svc/contracts/tests/run-report';
import { isTestType } from '@svc/contracts/tests/test';

/** A run as it is stored. */
export interface RunRow {
  testId: string;
  runnerId: string;
  startedAtMs: number;
  resultId: string;
  version: number;
  /** Of a run that measured something. */
  success: boolean;
  notRun: boolean;
  onDemand: boolean;
  fault: RunFault | undefined;
  error: string | undefined;
  totalMs: number;
  phases: Partial<Record<Phase, number>>;
  figures: Record<string, number>;
  address: string | undefined;
  certificate: CertificateFacts | undefined;
  assertions: Assertion[];
}

const DAY_MS = 86_400_000;
/** Older runs are past their retention; a clock that is further ahead has gone wrong. */
export const RUNS_KEPT_MS = 30 * DAY_MS;
const AHEAD_MS = 3_600_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PHASE_FIGURES = new Set(['dns.ms', 'connect.ms', 'tls.ms', 'ttfb.ms', 'transfer.ms', 'total.ms']);

/** Bytes of one message of network results as a run of a test; undefined for what is none: the slice `results` says so and sets it aside. */
export function readRun(bytes: Buffer, tenant: string, nowMs: number): RunRow | undefined {
  let result: CanonicalResult;
  try {
    result = JSON.parse(bytes.toString('utf8')) as CanonicalResult;
  } catch {
    return undefined;
  }
  const { test_id: testId = '', result_id: resultId, agent_id: runnerId, canary_type: type } = result ?? {};
  if (result?.tenant_id !== tenant || !UUID.test(testId) || !UUID.test(resultId) || !isTestType(type)) return undefined;
  if (typeof result.metrics !== 'object' || typeof result.attributes !== 'object' || typeof runnerId !== 'string')
    return undefined;
  const startedAtMs = Date.parse(result.started_at);
  if (!(startedAtMs > nowMs - RUNS_KEPT_MS && startedAtMs < nowMs + AHEAD_MS)) return undefined;
  const run = readCanonicalRun(result);
  return {
    ...{ testId, runnerId, startedAtMs, resultId, version: Number.isSafeInteger(run.version) ? run.version : 0 },
    success: result.success === true,
    notRun: run.fault !== undefined && NOT_RUN_FAULTS.includes(run.fault),
    onDemand: run.onDemand,
    fault: run.fault,
    error: result.error,
    totalMs: result.duration_ms ?? 0,
    phases: run.phases,
    figures: Object.fromEntries(Object.entries(result.metrics).filter(([key]) => !PHASE_FIGURES.has(key))),
    address: run.address,
    certificate: run.certificate,
    assertions: run.assertions,
  };
}
