import type { Signal } from '@svc/contracts/incidents/signal';
import type { SignalListQuery } from '@svc/contracts/incidents/signal-list';
import { countOfPage } from '#api';
import { AppError, type Ctx } from '#kernel';
import type { IncidentsDeps } from '../context.ts';
import { SIGNAL_COLUMNS, type SignalRow } from '../store/rows.ts';
import { presentSignal } from './present.ts';

type OneOrMore<T> = T | readonly T[];
export type SignalQuestion = Omit<SignalListQuery, 'plane' | 'kind'> & {
  plane?: OneOrMore<Signal['plane']> | undefined;
  kind?: OneOrMore<Signal['kind']> | undefined;
};

function readCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (!/^\d{1,15}$/.test(cursor)) throw new AppError('validation', 'The cursor is not one that this list gave.');
  return Number(cursor);
}

/**
 * A page of the feed. A signal's place is given under the tenant's lock and committed before the next one is given, so that whoever has read
 * up to a place has everything before it.
 */
export async function listSignals(
  { relational }: IncidentsDeps,
  { principal }: Ctx,
  { order, plane, kind, incident, from, to, limit, cursor }: SignalQuestion,
): Promise<{ items: Signal[]; next_cursor: string | null }> {
  const isFeed = order === 'oldest';
  const after = readCursor(cursor);
  const { rows } = await relational.withTenantSql(principal.tenant, (sql) =>
    sql.query<SignalRow>(
      `SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE ($1::bigint IS NULL OR s.seq ${isFeed ? '>' : '<'} $1)
         AND ($2::text[] IS NULL OR s.plane = ANY ($2)) AND ($3::text[] IS NULL OR s.kind = ANY ($3))
         AND ($4::uuid IS NULL OR s.incident_id = $4) AND ($5::timestamptz IS NULL OR s.occurred_at >= $5)
         AND ($6::timestamptz IS NULL OR s.occurred_at < $6)
       ORDER BY s.seq ${isFeed ? 'ASC' : 'DESC'} LIMIT $7`,
      [
        after,
        plane === undefined ? null : [plane].flat(),
        kind === undefined ? null : [kind].flat(),
        incident,
        from,
        to,
        limit + 1,
      ],
    ),
  );
  const shown = rows.slice(0, Math.min(limit, countOfPage(rows)));
  const last = shown.at(-1)?.seq;
  const isMore = rows.length > shown.length;
  const place = isFeed ? String(last ?? after ?? 0) : isMore && last !== undefined ? String(last) : null;
  return { items: shown.map(presentSignal), next_cursor: place };
}
