import { assignRunners } from '@svc/contracts/tests/assign';
import type { RunProgress } from '@svc/contracts/tests/calls';
import type { RunReport } from '@svc/contracts/tests/run-report';
import type { Test, TestSpec } from '@svc/contracts/tests/test';
import { uuidv7 } from 'uuidv7';
import { AppError, actorOf, type Ctx, type TenantId } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { forgetProgress, readProgress, type ToldProgress, tellProgress } from './progress-store.ts';
import { nameRunner } from './rows-parts.ts';

/** Kept for so long after it began: a run takes five minutes at most. */
const KEPT_MS = 10 * 60_000;
/** Of one tenant in this process at once. */
const MAX_OF_TENANT = 20;
const MAX_RUNNERS = 10;

interface Started {
  tenant: TenantId;
  startedAtMs: number;
  progress: RunProgress;
  /** Resolves when all its runs are over. */
  ended: Promise<void>;
}

type OneRunner = RunProgress['runners'][number];

const problemOf = (error: unknown): string =>
  error instanceof AppError ? error.message : 'The run could not be made. The log of the server says why.';

function noteReport(one: OneRunner, { evidence: _evidence, ...report }: RunReport, isDry: boolean): void {
  const { result_id, test_id: _test, test_version: _version, runner_id: _runner, type: _type, target: _target, ...rest } = report;
  const { planned_at: _planned, started_at: _started, on_demand: _demand, ...result } = rest;
  one.phases = report.phases;
  one.result = result;
  one.result_id = isDry ? null : result_id;
}

const newRunner = (id: string, name: string): OneRunner => ({
  ...{ id, name, phases: {}, done: false, problem: null, result: null, result_id: null },
});

async function runOn(
  context: TestPagesDeps,
  tenant: TenantId,
  { test, one, isDry, onNews }: { test: Test; one: OneRunner; isDry: boolean; onNews: () => void },
): Promise<void> {
  try {
    const wanted = { test, runner_id: one.id, dry_run: isDry };
    const report = await context.runOnce(tenant, wanted, (phase, ms) => {
      one.phases = { ...one.phases, [phase]: ms };
      onNews();
    });
    noteReport(one, report, isDry);
  } catch (error) {
    if (!(error instanceof AppError)) context.log.warn({ err: error, tenant, runner: one.id }, 'a run on demand was not made');
    one.problem = problemOf(error);
  }
  one.done = true;
  onNews();
}

async function runAll(
  context: TestPagesDeps,
  tenant: TenantId,
  { test, progress, told }: { test: Test; progress: RunProgress; told: ToldProgress },
): Promise<void> {
  const common = { test, isDry: progress.dry_run, onNews: told.note };
  await Promise.all(progress.runners.map((one) => runOn(context, tenant, { ...common, one })));
  progress.done = true;
  await told.end();
}

/** Runs that somebody asked for, and how far they are, also where another replica began them. */
export function createRunNow(context: TestPagesDeps) {
  const started = new Map<string, Started>();

  const forget = (): void => {
    for (const [id, { startedAtMs }] of started) if (context.clock.now() - startedAtMs > KEPT_MS) started.delete(id);
  };

  const demandRoom = (tenant: TenantId): void => {
    const busy = [...started.values()].filter((one) => one.tenant === tenant && !one.progress.done).length;
    if (busy >= MAX_OF_TENANT)
      throw new AppError('rate_limited', 'Too many runs on demand of this tenant. Wait for one to end.', {
        retryAfterSeconds: 10,
      });
  };

  async function begin(
    ctx: Ctx,
    { test, runnerIds, dry_run }: { test: Test; runnerIds: readonly string[] | undefined; dry_run: boolean },
  ): Promise<Started> {
    forget();
    const { tenant } = ctx.principal;
    await forgetProgress(context, tenant, new Date(context.clock.now() - KEPT_MS));
    const facts = await context.listRunners(tenant);
    const chosen = (runnerIds ?? assignRunners(test, facts).map(({ id }) => id)).slice(0, MAX_RUNNERS);
    if (chosen.length === 0) throw new AppError('conflict', 'No runner that the test chooses is there.');
    // From here on nothing is waited for until it counts: of many that are asked for at once none passes the bound.
    demandRoom(tenant);
    const runners = chosen.map((id) => newRunner(id, nameRunner(facts, id)));
    const startedAtMs = context.clock.now();
    const progress: RunProgress = {
      run_id: uuidv7(),
      dry_run,
      started_at: new Date(startedAtMs).toISOString(),
      done: false,
      runners,
    };
    const told = tellProgress(context, tenant, progress);
    const ended = runAll(context, tenant, { test, progress, told });
    const entry = { tenant, startedAtMs, progress, ended };
    started.set(progress.run_id, entry);
    await told.begun;
    return entry;
  }

  const note = async (ctx: Ctx, action: string, test: Pick<Test, 'id'> | undefined): Promise<void> =>
    await context.relational.withTenantSql(ctx.principal.tenant, (sql) =>
      context.appendAudit(sql, {
        actor: actorOf(ctx.principal),
        action,
        ...(test ? { object: { type: 'test', id: test.id } } : {}),
      }),
    );

  return {
    async runNow(ctx: Ctx, { id, runner }: { id: string; runner?: string | undefined }): Promise<Started> {
      const test = await context.tests().find(ctx.principal.tenant, id);
      if (!test) throw new AppError('not_found', 'There is no such test.');
      await note(ctx, 'test.run', test);
      return await begin(ctx, { test, runnerIds: runner === undefined ? undefined : [runner], dry_run: false });
    },
    /** Nothing of it is stored; the trail has that somebody let it run. */
    async dryRun(
      ctx: Ctx,
      { test: spec, runners }: { test: TestSpec; runners?: readonly string[] | undefined },
    ): Promise<Started> {
      context.tests().demandPatterns(spec);
      const at = new Date(context.clock.now()).toISOString();
      const test: Test = { ...spec, id: uuidv7(), version: 0, created_by: ctx.principal.id, created_at: at, updated_at: at };
      await note(ctx, 'test.dry_run', undefined);
      return await begin(ctx, { test, runnerIds: runners, dry_run: true });
    },
    async progress({ principal: { tenant } }: Ctx, { run_id: id }: { run_id: string }): Promise<RunProgress> {
      const own = started.get(id);
      if (own?.tenant === tenant) return own.progress;
      const other = await readProgress(context, tenant, id);
      if (!other) throw new AppError('not_found', 'There is no such run, or none any more.');
      return other;
    },
  };
}
export type RunNow = ReturnType<typeof createRunNow>;
