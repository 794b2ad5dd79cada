import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedSecret } from '@svc/contracts/tests/plan';
import { type Phase, RunReport } from '@svc/contracts/tests/run-report';
import { Test, timeoutOf } from '@svc/contracts/tests/test';
import { uuidv7 } from 'uuidv7';
import { AppError, isTenantId, type TenantId } from '#kernel';
import type { RunnersDeps } from '../context.ts';
import type { OnProgress, RunElsewhere } from '../run-once.ts';
import { isConnected } from '../store.ts';
import type { ConnectedRunner } from './connect.ts';

/** On it a replica asks the one that holds a runner's stream: `<tenant>/<runner>/<request>`. */
const RUN_CHANNEL = 'svc_runner_run';
const LOOK_EVERY_MS = 300;
const GRACE_MS = 45_000;
const KEPT_MS = 10 * 60_000;

type Progress = [phase: Phase, ms: number];
interface RequestRow {
  runner_id: string;
  test: unknown;
  progress: Progress[];
  report: unknown;
  error: string | null;
}

export interface ReplicaDeps extends Pick<RunnersDeps, 'relational' | 'clock' | 'log'> {
  find: (tenant: TenantId, runnerId: string) => ConnectedRunner | undefined;
  runHere: RunElsewhere;
  /** The values stay out of the database: the replica that runs it reads them itself. */
  secretsOf: (tenant: TenantId, test: Test) => Promise<readonly PlannedSecret[]>;
}

type Door = Pick<ReplicaDeps, 'relational' | 'clock'>;

async function ask(
  { relational, clock }: Door,
  tenant: TenantId,
  { test, runnerId }: { test: Test; runnerId: string },
): Promise<string> {
  const id = uuidv7();
  const nowMs = clock.now();
  await relational.withTenantSql(tenant, async (sql) => {
    const text = 'SELECT contact_at FROM runners WHERE id::text = $1 AND revoked_at IS NULL';
    const row = (await sql.query<{ contact_at: Date | null }>(text, [runnerId])).rows[0];
    if (!row) throw new AppError('not_found', 'There is no such runner.');
    if (!isConnected(row, nowMs))
      throw new AppError('unavailable', 'This runner is not connected. Try again when it is.', { retryAfterSeconds: 30 });
    await sql.query('DELETE FROM runner_requests WHERE asked_at < $1', [new Date(nowMs - KEPT_MS)]);
    await sql.query(
      `INSERT INTO runner_requests (tenant_id, id, runner_id, test, asked_at) VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4)`,
      [id, runnerId, JSON.stringify(test), new Date(nowMs)],
    );
    await sql.query('SELECT pg_notify($1, $2)', [RUN_CHANNEL, `${tenant}/${runnerId}/${id}`]);
  });
  return id;
}

async function read({ relational }: Pick<Door, 'relational'>, tenant: TenantId, id: string): Promise<RequestRow | undefined> {
  const text = 'SELECT runner_id, test, progress, report, error FROM runner_requests WHERE id = $1';
  return (await relational.withTenantSql(tenant, (sql) => sql.query<RequestRow>(text, [id]))).rows[0];
}

/** Waits for what the other replica writes into the request. */
async function follow(deps: Door, { tenant, id, test }: { tenant: TenantId; id: string; test: Test }, onProgress: OnProgress) {
  const endMs = performance.now() + timeoutOf(test) * 1000 + GRACE_MS;
  for (let told = 0; performance.now() < endMs; await sleep(LOOK_EVERY_MS)) {
    const row = await read(deps, tenant, id);
    for (const [phase, ms] of row?.progress.slice(told) ?? []) onProgress(phase, ms);
    told = row?.progress.length ?? told;
    if (row?.error) throw new AppError('unavailable', row.error, { retryAfterSeconds: 30 });
    if (row?.report) return RunReport.parse(row.report);
  }
  throw new AppError('unavailable', 'The runner did not answer. Try again.', { retryAfterSeconds: 30 });
}

/** Runs on demand whichever replica holds the runner's stream. */
export function createAskReplicas(deps: ReplicaDeps) {
  const { relational, find, runHere, secretsOf, log } = deps;

  const write = async (tenant: TenantId, id: string, [column, value]: [string, string]): Promise<void> => {
    const set = column === 'progress' ? 'progress = progress || $2::jsonb' : `${column} = $2`;
    await relational.withSystemSql(tenant, (sql) => sql.query(`UPDATE runner_requests SET ${set} WHERE id = $1`, [id, value]));
  };

  async function answer(tenant: TenantId, runnerId: string, id: string): Promise<void> {
    if (!find(tenant, runnerId)) return;
    const row = await read(deps, tenant, id);
    if (!row || row.runner_id !== runnerId) return;
    const test = Test.parse(row.test);
    let writing: Promise<void> = Promise.resolve();
    const onProgress = (phase: Phase, ms: number): void => {
      writing = writing.then(() => write(tenant, id, ['progress', JSON.stringify([[phase, ms]])])).catch(() => {});
    };
    try {
      const secrets = await secretsOf(tenant, test);
      const report = await runHere(tenant, { test, secrets, runnerId }, onProgress);
      await writing;
      await write(tenant, id, ['report', JSON.stringify(report)]);
    } catch (error) {
      const words = error instanceof AppError ? error.message : 'The runner gave no report.';
      await write(tenant, id, ['error', words]);
    }
  }

  const runElsewhere: RunElsewhere = async (tenant, wanted, onProgress) => {
    if (find(tenant, wanted.runnerId)) return await runHere(tenant, wanted, onProgress);
    const id = await ask(deps, tenant, wanted);
    return await follow(deps, { tenant, id, test: wanted.test }, onProgress);
  };

  return {
    runElsewhere,
    start: async (): Promise<() => Promise<void>> =>
      await relational.listen(RUN_CHANNEL, (payload) => {
        const [tenant = '', runnerId = '', id = ''] = payload.split('/');
        if (!isTenantId(tenant) || id === '') return;
        answer(tenant, runnerId, id).catch((error: unknown) => log.error({ err: error, tenant }, 'a run on demand failed'));
      }),
  };
}
