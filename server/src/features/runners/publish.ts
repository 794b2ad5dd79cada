import { TOPICS } from '@svc/contracts/bus-topics';
import { toCanonicalResult } from '@svc/contracts/tests/canonical-run';
import type { RunReport } from '@svc/contracts/tests/run-report';
import type { TenantId } from '#kernel';
import type { RunnersDeps } from './context.ts';

const EVIDENCE_AT_ONCE = 4;

/**
 * Publishes what runners measured; resolves when the bus has it durably. Evidence goes before, so that whoever sees a result finds it; where it
 * cannot be kept the result goes without. Idempotent: ids are the runner's.
 */
export function createPublish({ bus, tests, log }: Pick<RunnersDeps, 'bus' | 'tests' | 'log'>) {
  async function keepEvidence(
    tenant: TenantId,
    { evidence, result_id, test_id, runner_id, started_at }: RunReport,
  ): Promise<void> {
    if (!evidence) return;
    try {
      await tests().storeEvidence?.(tenant, { result_id, test_id, runner_id, started_at, evidence });
    } catch (error) {
      log.warn({ err: error, tenant, result: result_id }, 'the evidence of a run was not kept');
    }
  }

  return async (tenant: TenantId, reports: readonly RunReport[]): Promise<void> => {
    for (let i = 0; i < reports.length; i += EVIDENCE_AT_ONCE)
      await Promise.all(reports.slice(i, i + EVIDENCE_AT_ONCE).map((report) => keepEvidence(tenant, report)));
    await bus.publish(
      TOPICS.networkResults,
      reports.map((report) => ({ tenant, value: Buffer.from(JSON.stringify(toCanonicalResult(report, tenant)), 'utf8') })),
    );
  };
}

export type Publish = ReturnType<typeof createPublish>;
