import type { RunReport } from '@svc/contracts/tests/run-report';
import { type ReportAck, type ReportBatch, RUNNER_BOUNDS, reportBatch } from '@svc/contracts/tests/runner-messages';
import { type AgentStream, agentOf, toGrpcError } from '#edge';
import { AppError } from '#kernel';
import type { RunnersDeps } from '../context.ts';
import { admitReport, type ReportAdmission } from '../domain/admit-report.ts';
import type { ReportPace } from '../domain/report-pace.ts';
import type { PlanKeeper } from '../plan/plan-keeper.ts';
import type { Publish } from '../publish.ts';

const MAX_REASONS = 10;

function decodeBatch(bytes: Buffer): ReportBatch {
  if (bytes.length > RUNNER_BOUNDS.reportBytes)
    throw new AppError('too_large', `A batch has at most ${RUNNER_BOUNDS.reportBytes} bytes.`);
  let batch: ReportBatch;
  try {
    batch = reportBatch.decode(bytes);
  } catch (error) {
    throw new AppError('validation', 'Invalid batch of reports.', { cause: error });
  }
  if (batch.reports.length > RUNNER_BOUNDS.reports)
    throw new AppError('too_large', `A batch has at most ${RUNNER_BOUNDS.reports} reports.`);
  return batch;
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function admitBatch({ sequence, reports }: ReportBatch, admission: ReportAdmission): { admitted: RunReport[]; ack: ReportAck } {
  const reasons = new Set<string>();
  const admitted: RunReport[] = [];
  for (const bytes of reports) {
    const report = admitReport(readJson(bytes), admission);
    if (!('refused' in report)) admitted.push(report);
    else if (reasons.size < MAX_REASONS) reasons.add(report.refused);
  }
  const rejected = reports.length - admitted.length;
  return { admitted, ack: { sequence, accepted: admitted.length, rejected, rejected_reasons: [...reasons] } };
}

export interface ReportStreamDeps extends Pick<RunnersDeps, 'clock' | 'log'> {
  publish: Publish;
  keeper: Pick<PlanKeeper, 'mayReport'>;
  pace: ReportPace;
  /** Resolves once the tenant's tests are known here. */
  known: (tenant: Parameters<Publish>[0], runnerId: string) => Promise<() => void>;
}

/** One runner's stream of reports: a batch at a time, acknowledged once the bus has it durably. */
export function serveReports(stream: AgentStream, { publish, keeper, pace, known, clock, log }: ReportStreamDeps): void {
  const { agent, draining } = agentOf(stream);
  const { tenant, agentId: runnerId } = agent;
  let lastSequence = -1;
  let last: Promise<void> = Promise.resolve();
  let failed = false;
  const pay = pace.openRunner(tenant);
  const watching = known(tenant, runnerId);
  watching.catch(() => {});

  const fail = (error: unknown): void => {
    if (failed) return;
    failed = true;
    if (!(error instanceof AppError)) log.error({ err: error }, 'a batch of reports failed');
    stream.emit('error', toGrpcError(error));
  };

  async function take(bytes: Buffer): Promise<void> {
    const startMs = performance.now();
    const batch = decodeBatch(bytes);
    const dueMs = startMs + pay({ reports: batch.reports.length, bytes: bytes.length });
    if (batch.sequence <= lastSequence) throw new AppError('validation', 'Sequence numbers must increase within a stream.');
    lastSequence = batch.sequence;
    await watching;
    const mayReport = (id: string): boolean => keeper.mayReport(tenant, runnerId, id);
    const { admitted, ack } = admitBatch(batch, { runnerId, mayReport, receivedMs: clock.now() });
    if (admitted.length > 0) await publish(tenant, admitted);
    if (!failed && !stream.cancelled) stream.write(ack);
    const restMs = dueMs - performance.now();
    if (restMs > 1) await new Promise((resolve) => setTimeout(resolve, restMs).unref());
  }

  stream.on('data', (bytes: Buffer) => {
    stream.pause();
    last = last
      .then(() => (failed ? undefined : take(bytes)))
      .then(() => void (failed || draining.aborted || stream.resume()), fail);
  });
  const finish = (): void => void last.then(() => failed || stream.end());
  stream.on('end', finish);
  draining.addEventListener('abort', finish, { once: true });
  for (const event of ['cancelled', 'finish', 'close'])
    stream.once(event, () => {
      failed = true;
      watching.then((stop) => stop()).catch(() => {});
    });
}
