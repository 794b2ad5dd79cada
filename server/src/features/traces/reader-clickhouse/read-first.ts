import { stretchesOf } from '#telemetry';
import type { PageQuestion, Window } from '../reader.ts';
import { spansSql } from './all-spans-sql.ts';
import type { Ask } from './ask.ts';
import type { SpanCondition } from './filter-sql.ts';
import { firstSql, pastSql } from './place-sql.ts';

const NS_PER_MS = 1_000_000n;

/** Newest first a page is mostly full after a fraction of the window; the longest may be anywhere in it. */
function stretches({ window, sort, past }: PageQuestion): Window[] {
  if (sort !== 'time') return [window];
  const end = past ? Number(BigInt(past.key) / NS_PER_MS) + 1 : window.toMs;
  return stretchesOf({ ...window, toMs: Math.min(window.toMs, end) });
}

interface InOrder {
  key: string;
  traceId: string;
  spanId?: string;
}

const idsDown = (a: InOrder, b: InOrder): number =>
  a.traceId === b.traceId ? ((a.spanId ?? '') < (b.spanId ?? '') ? 1 : -1) : a.traceId < b.traceId ? 1 : -1;

/** Rows in order of their keys, with equals put in the order of their ids. */
function orderEquals<Row extends InOrder>(rows: readonly Row[]): Row[] {
  const ordered: Row[] = [];
  for (let begin = 0, end = 0; begin < rows.length; begin = end) {
    while (end < rows.length && rows[end]?.key === rows[begin]?.key) end++;
    ordered.push(...(end - begin === 1 ? rows.slice(begin, end) : rows.slice(begin, end).sort(idsDown)));
  }
  return ordered;
}

/**
 * Ordered by one column, the store leaves aside what is too small by an index and reads ids of the first only. One more tells whether the cut is
 * between equals, which only their ids can decide.
 */
async function askInOrder<Row extends InOrder>(
  ask: Ask,
  q: { select: string; sort: PageQuestion['sort']; condition: SpanCondition; limit: number },
): Promise<Row[]> {
  const first = (wholly: boolean, limit: number) =>
    ask<Row>({ sql: firstSql(q.condition, { ...q, wholly }), params: { ...q.condition.params, limit } });
  const rows = await first(false, q.limit + 1);
  const beyond = rows[q.limit];
  if (beyond && beyond.key === rows[q.limit - 1]?.key) return await first(true, q.limit);
  return orderEquals(rows.slice(0, q.limit));
}

/** The first matching spans of an order as columns, stretch by stretch until there are enough; where traces are listed, none of the place's. */
export async function readFirst<Row extends InOrder>(
  ask: Ask,
  select: string,
  q: PageQuestion & { of: 'traces' | 'spans' },
): Promise<Row[]> {
  const past = q.past && pastSql(q.sort, q.past, q.of);
  const rows: Row[] = [];
  for (const stretch of stretches(q)) {
    const condition = spansSql({ ...q, window: stretch });
    const where = past ? `${condition.where} AND ${past.where}` : condition.where;
    const params = { ...condition.params, ...past?.params };
    const found = await askInOrder<Row>(ask, {
      ...{ select, sort: q.sort, limit: q.limit - rows.length },
      condition: { ...condition, where, params },
    });
    rows.push(...found);
    if (rows.length >= q.limit) break;
  }
  return rows;
}
