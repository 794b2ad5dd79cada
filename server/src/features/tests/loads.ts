import type { TestSpec } from '@svc/contracts/tests/test';
import type { TenantSql } from '#relational';
import { loadOf, type Rates } from './domain/run-rates.ts';

/** What tests take of the bounds of their tenant, kept beside each: to add one nobody reads the others. */

export interface LoadRow {
  load_host: string;
  load_rate: number;
  load_each_runner: boolean;
}

export function loadRow(spec: TestSpec): LoadRow {
  const { host, rate, eachRunner } = loadOf(spec);
  return { load_host: host, load_rate: rate, load_each_runner: eachRunner };
}

/** Tests of before, or that a release of before changed, a few at a time. */
const AT_ONCE = 500;

/** Finds what is not known yet of tests; the caller holds `lockTests`. */
export async function fillLoads(sql: TenantSql): Promise<void> {
  for (;;) {
    const { rows } = await sql.query<{ id: string; spec: TestSpec }>(
      `SELECT id, spec FROM synthetic_tests WHERE load_version IS DISTINCT FROM version LIMIT ${AT_ONCE}`,
    );
    if (rows.length === 0) return;
    await sql.query(
      `UPDATE synthetic_tests s SET load_version = s.version, load_bytes = octet_length(s.spec::text), load_host = l ->> 'load_host',
         load_rate = (l ->> 'load_rate')::float8, load_each_runner = (l ->> 'load_each_runner')::boolean
       FROM jsonb_array_elements($1::jsonb) l WHERE s.id = (l ->> 'id')::uuid`,
      [JSON.stringify(rows.map(({ id, spec }) => ({ id, ...loadRow(spec) })))],
    );
  }
}

/** Runs a second of one row, with as many runners as $1 says. */
const RATE = `CASE WHEN NOT enabled THEN 0 WHEN load_each_runner THEN load_rate * greatest(1, $1::int) ELSE load_rate END`;

/** How many tests there are, their size as JSON, and how often they run: in all, and at some hosts. */
export async function sumLoads(
  sql: TenantSql,
  { runners, hosts }: { runners: number; hosts: readonly string[] },
): Promise<Rates & { tests: number; bytes: number }> {
  const all = await sql.query<{ tests: number; bytes: number; total: number }>(
    `SELECT count(*)::int AS tests, coalesce(sum(load_bytes), 0)::float8 AS bytes, coalesce(sum(${RATE}), 0)::float8 AS total FROM synthetic_tests`,
    [runners],
  );
  const ofHosts = await sql.query<{ host: string; rate: number }>(
    `SELECT load_host AS host, sum(${RATE})::float8 AS rate FROM synthetic_tests WHERE load_host = ANY ($2) GROUP BY load_host`,
    [runners, [...new Set(hosts)]],
  );
  const { tests = 0, bytes = 0, total = 0 } = all.rows[0] ?? {};
  return { tests, bytes, total, byHost: new Map(ofHosts.rows.map(({ host, rate }) => [host, rate])) };
}
