import { stretchesOf } from '#telemetry';
import type { PageQuestion, Window } from '../reader.ts';
import type { Ask } from './ask.ts';
import { filterSql } from './filter-sql.ts';
import { firstSql, pastSql } from './place-sql.ts';

const NS_PER_MS = 1_000_000n;

/** Newest first a page is mostly full after a fraction of the window; the longest may be anywhere in it. */
function stretches({ window, sort, past }: PageQuestion): Window[] {
  if (sort !== 'time') return [window];
  const end = past ? Number(BigInt(past.key) / NS_PER_MS) + 1 : window.toMs;
  return stretchesOf({ ...window, toMs: Math.min(window.toMs, end) });
}

/** The first matching spans of an order as columns, stretch by stretch until there are enough; where traces are listed, none of the place's. */
export async function readFirst<Row>(ask: Ask, select: string, q: PageQuestion & { of: 'traces' | 'spans' }): Promise<Row[]> {
  const past = q.past && pastSql(q.sort, q.past, q.of);
  const rows: Row[] = [];
  for (const stretch of stretches(q)) {
    const condition = filterSql(q.filter, stretch);
    const where = past ? `${condition.where} AND ${past.where}` : condition.where;
    const found = await ask<Row>({
      sql: firstSql(q.sort, { ...condition, where }, select),
      params: { ...condition.params, ...past?.params, limit: q.limit - rows.length },
    });
    rows.push(...found);
    if (rows.length >= q.limit) break;
  }
  return rows;
}
