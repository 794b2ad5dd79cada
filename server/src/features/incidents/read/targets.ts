import type { TenantSql } from '#relational';

const MOST = 500;

/** Targets of incidents since a time, with how many each had; the most first. */
export async function readTargets(sql: TenantSql, since: Date): Promise<{ target: string; count: number }[]> {
  const { rows } = await sql.query<{ target: string; count: number }>(
    `SELECT target, count(*)::int AS count FROM incidents
     WHERE target IS NOT NULL AND merged_into IS NULL AND started_at >= $1 GROUP BY target ORDER BY count DESC, target LIMIT ${MOST}`,
    [since],
  );
  return rows;
}
