import type { RunProgress } from '@svc/contracts/tests/calls';
import type { TenantId } from '#kernel';
import type { PagedTable } from '#relational';
import type { TestPagesDeps } from './context.ts';

/** How far runs on demand are, where other replicas read it. */

export const PROGRESS_TABLE: PagedTable = {
  table: 'synthetic_run_progress',
  columns: ['run_id', 'started_at', 'told_at', 'progress'],
  key: ['run_id'],
};

/** Phases come faster than anybody looks. */
const TELL_EVERY_MS = 200;
/** Told also where nothing new came, so that others see that it goes on; silent for longer, its replica is gone. */
const BEAT_MS = 10_000;
const GONE_AFTER_MS = 35_000;

type Deps = Pick<TestPagesDeps, 'relational' | 'clock' | 'log'>;

export interface ToldProgress {
  /** Resolves once others can find it. */
  begun: Promise<void>;
  /** Something is new; it is written soon. */
  note(): void;
  /** It is over: resolves when that is written, or could not be. */
  end(): Promise<void>;
}

/** Writes what becomes of one run, in order and not too often. What cannot be written is seen on this replica alone. */
export function tellProgress({ relational, clock, log }: Deps, tenant: TenantId, progress: RunProgress): ToldProgress {
  const write = async (): Promise<void> => {
    const told = new Date(clock.now());
    const row = [progress.run_id, new Date(progress.started_at), told, JSON.stringify(progress)];
    await relational
      .withSystemSql(tenant, (sql) =>
        sql.query(
          `INSERT INTO synthetic_run_progress (tenant_id, run_id, started_at, told_at, progress)
           VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4)
           ON CONFLICT (tenant_id, run_id) DO UPDATE SET told_at = excluded.told_at, progress = excluded.progress`,
          row,
        ),
      )
      .catch((error: unknown) => log.debug({ err: error, tenant }, 'the progress of a run could not be told to other replicas'));
  };
  const begun = write();
  let writing = begun;
  let soon: NodeJS.Timeout | undefined;
  const next = (): void => {
    soon = undefined;
    writing = writing.then(write);
  };
  const beat = setInterval(next, BEAT_MS).unref();
  return {
    begun,
    note: () => {
      soon ??= setTimeout(next, TELL_EVERY_MS).unref();
    },
    async end() {
      clearInterval(beat);
      clearTimeout(soon);
      next();
      await writing;
    },
  };
}

/** Lets go of what began before a time. */
export async function forgetProgress({ relational }: Pick<Deps, 'relational'>, tenant: TenantId, before: Date): Promise<void> {
  await relational.withSystemSql(tenant, (sql) =>
    sql.query('DELETE FROM synthetic_run_progress WHERE started_at < $1', [before]),
  );
}

/** Of a run that another replica began; over, with what is wrong, where that one is gone. */
export async function readProgress(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenant: TenantId,
  runId: string,
): Promise<RunProgress | undefined> {
  const text = 'SELECT told_at, progress FROM synthetic_run_progress WHERE run_id = $1';
  const { rows } = await relational.withTenantSql(tenant, (sql) =>
    sql.query<{ told_at: Date; progress: RunProgress }>(text, [runId]),
  );
  const [row] = rows;
  if (!row || row.progress.done || clock.now() - row.told_at.getTime() < GONE_AFTER_MS) return row?.progress;
  const runners = row.progress.runners.map((one) =>
    one.done ? one : { ...one, done: true, problem: 'The server that ran it does not answer any more. Run it again.' },
  );
  return { ...row.progress, done: true, runners };
}
