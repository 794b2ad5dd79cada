import type { RumVerdict } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { Episode } from './domain/episode.ts';
import type { Tests, Users } from './domain/judge.ts';

/** What is judged of one host of an app. Times are Unix milliseconds. */
export interface JudgedHost {
  app: string;
  host: string;
  verdict: RumVerdict;
  sufficient: boolean;
  sinceMs: number;
  judgedAtMs: number;
  users: Users;
  tests: Tests;
  episode: Episode | null;
}

interface Row extends Omit<JudgedHost, 'sinceMs' | 'judgedAtMs'> {
  since: Date;
  judged_at: Date;
}

const toJudged = ({ since, judged_at, ...row }: Row): JudgedHost => ({
  ...row,
  sinceMs: since.getTime(),
  judgedAtMs: judged_at.getTime(),
});

export async function readVerdicts(sql: TenantSql, of?: { app: string; host: string }): Promise<JudgedHost[]> {
  const { rows } = await sql.query<Row>(
    `SELECT app, host, verdict, sufficient, since, judged_at, users, tests, episode FROM rum_verdicts
     WHERE ($1::text IS NULL OR app = $1) AND ($2::text IS NULL OR host = $2)`,
    [of?.app ?? null, of?.host ?? null],
  );
  return rows.map(toJudged);
}

/** All that one evaluation found, in one statement. */
export async function writeVerdicts(sql: TenantSql, tenant: TenantId, judged: readonly JudgedHost[]): Promise<void> {
  if (judged.length === 0) return;
  const rows = judged.map(({ sinceMs, judgedAtMs, ...row }) => ({
    ...row,
    since: new Date(sinceMs),
    judged_at: new Date(judgedAtMs),
  }));
  await sql.query(
    `INSERT INTO rum_verdicts AS v (tenant_id, app, host, verdict, sufficient, since, judged_at, users, tests, episode)
     SELECT $1, r.app, r.host, r.verdict, r.sufficient, r.since, r.judged_at, r.users, r.tests, r.episode
     FROM jsonb_to_recordset($2::jsonb) AS r (app text, host text, verdict text, sufficient boolean, since timestamptz, judged_at timestamptz,
       users jsonb, tests jsonb, episode jsonb)
     ON CONFLICT (tenant_id, app, host) DO UPDATE SET verdict = excluded.verdict, sufficient = excluded.sufficient, since = excluded.since,
       judged_at = excluded.judged_at, users = excluded.users, tests = excluded.tests, episode = excluded.episode`,
    [tenant, JSON.stringify(rows)],
  );
}

export interface SpanRow {
  app: string;
  host: string;
  from_at: Date;
  verdict: RumVerdict;
  sufficient: boolean;
  users: Users;
  tests: Tests;
  signalled: boolean;
}

/** Stretches that begin; one that began at the same time is the same. */
export async function writeSpans(sql: TenantSql, tenant: TenantId, spans: readonly SpanRow[]): Promise<void> {
  if (spans.length === 0) return;
  await sql.query(
    `INSERT INTO rum_verdict_spans (tenant_id, app, host, from_at, verdict, sufficient, users, tests, signalled)
     SELECT $1, r.app, r.host, r.from_at, r.verdict, r.sufficient, r.users, r.tests, r.signalled
     FROM jsonb_to_recordset($2::jsonb) AS r (app text, host text, from_at timestamptz, verdict text, sufficient boolean, users jsonb, tests jsonb, signalled boolean)
     ON CONFLICT (tenant_id, app, host, from_at) DO UPDATE SET verdict = excluded.verdict, sufficient = excluded.sufficient,
       users = excluded.users, tests = excluded.tests, signalled = excluded.signalled`,
    [tenant, JSON.stringify(spans)],
  );
}

/** Those of one host that lie in a time, the earliest first, with the one that it begins in. */
export async function readSpans(
  sql: TenantSql,
  of: { app: string; host: string },
  { from, to }: { from: Date; to: Date },
): Promise<SpanRow[]> {
  const { rows } = await sql.query<SpanRow>(
    `SELECT app, host, from_at, verdict, sufficient, users, tests, signalled FROM rum_verdict_spans
     WHERE app = $1 AND host = $2 AND from_at <= $4 AND from_at >= coalesce(
       (SELECT max(b.from_at) FROM rum_verdict_spans b WHERE b.app = $1 AND b.host = $2 AND b.from_at <= $3), $3)
     ORDER BY from_at LIMIT 5000`,
    [of.app, of.host, from, to],
  );
  return rows;
}
