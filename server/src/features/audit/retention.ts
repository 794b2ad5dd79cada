import type { FastifyBaseLogger } from 'fastify';
import { AppError, type Clock, type TenantId } from '#kernel';
import { type Relational, type SystemDoor, startTenantRounds, type TenantSql } from '#relational';
import type { AppendAudit } from './append.ts';
import { type CheckpointSigner, readCheckpoint } from './checkpoint.ts';
import type { ChainBreak, ChainPlace } from './domain/walk-chain.ts';
import { readStart, walkEntries } from './verify.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The database's own bounds (audit_remove_prefix), kept here so that it has nothing to refuse. */
const WEEK_MS = 7 * DAY_MS;
const PAUSE_MS = 20 * HOUR_MS;
const MAX_ENTRIES = 100_000n;
const FIRST_LOOK_MS = 60_000;
/** Above a week of removal a day this much is left over: an old trail that is caught up with, or a clock that jumped ahead. */
const BACKLOG_MS = 30 * DAY_MS;
const NAME = 'audit-retention';

export interface RetentionDeps {
  relational: SystemDoor;
  signer: CheckpointSigner;
  appendAudit: AppendAudit;
  clock: Clock;
  retentionDays: number;
  log: FastifyBaseLogger;
}

interface Plan {
  last: ChainPlace;
  /** When the oldest entry was written. */
  firstMs: number;
}

/**
 * How far the oldest entries go now: all are past retention, and at most a week of the trail goes at once, so that a clock that jumps
 * ahead costs a week of the oldest entries a day and not the trail. Entries dated after now hold nothing up: their clock was wrong.
 */
async function planRemoval(sql: TenantSql, base: bigint, time: { now: number; cutMs: number }): Promise<Plan | undefined> {
  const { now, cutMs } = time;
  const first = await sql.query<{ at_ms: string }>(
    'SELECT at_ms FROM audit_entries WHERE seq > $1 AND at_ms <= $2 ORDER BY seq LIMIT 1',
    [base.toString(), now],
  );
  if (!first.rows[0]) return undefined;
  const firstMs = Number(first.rows[0].at_ms);
  const cut = Math.min(cutMs, firstMs + WEEK_MS);
  const { rows } = await sql.query<{ seq: string; hash: Buffer }>(
    `SELECT seq, hash FROM audit_entries WHERE seq > $1 AND seq <= $2 AND at_ms <= $3 AND seq < coalesce(
       (SELECT seq FROM audit_entries WHERE seq > $1 AND at_ms > $3 AND at_ms <= $4 ORDER BY seq LIMIT 1), $2::bigint + 1)
     ORDER BY seq DESC LIMIT 1`,
    [base.toString(), (base + MAX_ENTRIES).toString(), cut, now],
  );
  return rows[0] && { last: { seq: BigInt(rows[0].seq), hash: rows[0].hash }, firstMs };
}

async function isPausing(sql: TenantSql): Promise<boolean> {
  // A clock that jumped back must not hold the next removal up for years: hence the absolute value.
  const { rowCount } = await sql.query(
    'SELECT 1 FROM audit_checkpoints WHERE abs(extract(epoch FROM clock_timestamp() - created_at)) * 1000 < $1 LIMIT 1',
    [PAUSE_MS],
  );
  return (rowCount ?? 0) > 0;
}

const refusal = ({ reason }: ChainBreak): AppError =>
  new AppError('conflict', `Nothing was removed from the audit trail: ${reason}`);

/** The last entry that was removed; moves under the walk of one process when another removes what both found. */
const readRemoved = async (sql: TenantSql): Promise<bigint> => (await readCheckpoint(sql))?.seq ?? 0n;

/**
 * Removes what is past retention of one tenant's trail, behind a signed checkpoint and with an entry of its own, in one transaction.
 * What is about to go is verified first: a trail that was tampered with is left as it is (`conflict`). Gives the entries removed, 0 too
 * while another process is at it and within 20 hours of the last removal.
 */
export async function pruneTrail(deps: RetentionDeps, tenant: TenantId): Promise<number> {
  const { relational, signer, appendAudit, clock, retentionDays, log } = deps;
  const now = clock.now();
  const time = { now, cutMs: now - retentionDays * DAY_MS };
  if (await relational.withTenantSql(tenant, isPausing)) return 0;
  const start = await readStart(deps, tenant);
  if (start.broken) throw refusal(start.broken);
  const plan = await relational.withTenantSql(tenant, (sql) => planRemoval(sql, start.place.seq, time));
  if (!plan) return 0;
  const walk = { from: start.place, upTo: plan.last.seq, maxEntries: Number.MAX_SAFE_INTEGER };
  const walked = await walkEntries(relational, tenant, walk);
  if (walked.broken) {
    if ((await relational.withTenantSql(tenant, readRemoved)) !== start.place.seq) return 0;
    throw refusal(walked.broken);
  }
  const unsigned = { ...walked.place, entries: walked.place.seq - start.place.seq, atMs: now };
  const checkpoint = { ...unsigned, signature: await signer.sign(tenant, unsigned) };
  const removed = await relational.withTenantSql(tenant, async (sql) => {
    const lock = `SELECT pg_try_advisory_xact_lock(hashtextextended('audit-retention/' || current_setting('app.tenant_id'), 0)) AS taken`;
    if (!(await sql.query<{ taken: boolean }>(lock)).rows[0]?.taken) return 0;
    if ((await readRemoved(sql)) !== start.place.seq) return 0;
    const { seq, hash, atMs, signature } = checkpoint;
    await sql.query('SELECT * FROM audit_remove_prefix($1, $2, $3, $4)', [seq.toString(), hash, atMs, signature]);
    await appendAudit(sql, {
      actor: { kind: 'system', id: NAME },
      action: 'audit.prune',
      detail: { entries: Number(checkpoint.entries), up_to: seq.toString(), hash: hash.toString('hex') },
    });
    return Number(checkpoint.entries);
  });
  if (removed > 0 && plan.firstMs < time.cutMs - BACKLOG_MS) {
    const oldest = new Date(plan.firstMs).toISOString();
    log.warn(
      { tenant, oldest },
      'the audit trail holds entries long past their retention: a week of them goes each day; is the clock right?',
    );
  }
  return removed;
}

/** Looks at every tenant a minute after the start (or `firstMs`) and each hour, on the one process that has the lease. */
export const startRetention = (deps: RetentionDeps & { relational: Relational; firstMs?: number }): { close(): Promise<void> } =>
  startTenantRounds(deps.relational, {
    name: NAME,
    everyMs: HOUR_MS,
    firstMs: deps.firstMs ?? FIRST_LOOK_MS,
    alsoErased: true,
    log: deps.log,
    async visit(tenant, system) {
      const entries = await pruneTrail({ ...deps, relational: system }, tenant);
      if (entries > 0) deps.log.info({ tenant, entries }, 'audit entries past their retention were removed');
    },
  });
