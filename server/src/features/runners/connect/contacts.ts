import { Capabilities } from '@svc/contracts/tests/runner';
import type { RunnerStatus } from '@svc/contracts/tests/runner-messages';
import type { TenantId } from '#kernel';
import { notifyRunners } from '../change.ts';
import type { RunnersDeps } from '../context.ts';

type Named = { tenant: TenantId; runnerId: string };

const bounded = (value: number, max: number): number => (Number.isFinite(value) ? Math.min(Math.max(0, value), max) : 0);

function readLacks(text: string): Capabilities {
  try {
    const parsed = Capabilities.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}

/** Keeps what runners tell of themselves; every replica hears where that changes who can run what. */
export function createContacts({ relational, clock, log }: Pick<RunnersDeps, 'relational' | 'clock' | 'log'>) {
  const failed = ({ tenant, runnerId }: Named, error: unknown): void =>
    log.warn({ err: error, tenant, runner: runnerId }, 'the contact of a runner was not kept');

  return {
    async connected(runner: Named): Promise<void> {
      await relational
        .withSystemSql(runner.tenant, async (sql) => {
          const text = 'UPDATE runners SET connected_at = $2, contact_at = $2, upgrade_required = false WHERE id = $1';
          await sql.query(text, [runner.runnerId, new Date(clock.now())]);
          await notifyRunners(sql);
        })
        .catch((error: unknown) => failed(runner, error));
    },
    /** In order for one runner: the caller waits for one before the next. */
    async told(runner: Named, status: RunnerStatus): Promise<void> {
      const nowMs = clock.now();
      const skewMs = Math.max(-1e14, Math.min(1e14, Math.round(status.clock_ms - nowMs)));
      const lacks = JSON.stringify(readLacks(status.lacks_json));
      await relational
        .withSystemSql(runner.tenant, async (sql) => {
          const before = await sql.query<{ changed: boolean }>(
            `SELECT lacks <> $2::jsonb OR contact_at IS NULL OR contact_at < $3 AS changed FROM runners WHERE id = $1 FOR UPDATE`,
            [runner.runnerId, lacks, new Date(nowMs - 60_000)],
          );
          await sql.query(
            `UPDATE runners SET contact_at = $2, version = $3, lacks = $4, cpu_ratio = $5, rss_bytes = $6, spool_results = $7,
               spool_dropped = $8, clock_skew_ms = $9 WHERE id = $1`,
            [
              ...[runner.runnerId, new Date(nowMs), status.version.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 64), lacks],
              ...[bounded(status.cpu_ratio, 1e6), Math.round(bounded(status.rss_bytes, 2 ** 50))],
              ...[bounded(status.spool_results, 2 ** 31 - 1), Math.round(bounded(status.spool_dropped, 2 ** 50)), skewMs],
            ],
          );
          if (before.rows[0]?.changed) await notifyRunners(sql);
        })
        .catch((error: unknown) => failed(runner, error));
    },
  };
}

export type Contacts = ReturnType<typeof createContacts>;
