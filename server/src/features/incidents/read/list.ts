import type { IncidentPulse } from '@svc/contracts/incidents/acts';
import type { Incident, IncidentListQuery } from '@svc/contracts/incidents/incident';
import { countOfPage } from '#api';
import { AppError, type Ctx, canonicalTarget } from '#kernel';
import type { TenantSql } from '#relational';
import type { IncidentsDeps } from '../context.ts';
import { INCIDENT_COLUMNS, type IncidentRow } from '../store/rows.ts';
import { nameThem, peopleOf, presentIncident } from './present.ts';

/** Lists with one value or several, as they come in a query string. */
type OneOrMore<T> = T | readonly T[];
type Listed = 'status' | 'severity' | 'plane';
export type ListQuestion = Omit<IncidentListQuery, Listed> & {
  [Name in Listed]?: OneOrMore<NonNullable<IncidentListQuery[Name]>[number]> | undefined;
};

/** Each order by its first column; within it the newest first. */
const SORTS: Readonly<Record<IncidentListQuery['sort'], { by: string; type: string }>> = {
  open_first: { by: "(i.status <> 'resolved')", type: 'boolean' },
  newest: { by: 'true', type: 'boolean' },
  last_seen: { by: 'i.last_seen_at', type: 'timestamptz' },
  severity: { by: "(CASE i.severity WHEN 'critical' THEN 2 WHEN 'warning' THEN 1 ELSE 0 END)", type: 'integer' },
};

interface Parts {
  values: unknown[];
  conditions: string[];
}

function createParts() {
  const parts: Parts = { values: [], conditions: [] };
  return {
    ...parts,
    /** Where a value was given; `?` is its place. */
    where(condition: string, value: unknown): void {
      if (value === undefined) return;
      parts.values.push(value);
      parts.conditions.push(condition.replaceAll('?', `$${parts.values.length}`));
    },
  };
}

const listOf = <T>(value: OneOrMore<T> | undefined): readonly T[] | undefined =>
  value === undefined || Array.isArray(value) ? (value as readonly T[] | undefined) : [value as T];

function readCursor(cursor: string): { first: string; number: number } {
  const [first = '', number = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (first === '' || !/^\d{1,15}$/.test(number) || !/^[\w:.-]+$/.test(first))
    throw new AppError('validation', 'The cursor is not one that this list gave.');
  return { first, number: Number(number) };
}

const writeCursor = (row: IncidentRow & { sort_key: unknown }): string => {
  const first = row.sort_key instanceof Date ? row.sort_key.toISOString() : String(row.sort_key);
  return Buffer.from(`${first} ${row.number}`).toString('base64url');
};

function conditionsOf(question: ListQuestion) {
  const parts = createParts();
  const number = /^#?(\d{1,12})$/.exec(question.search?.trim() ?? '')?.[1];
  if (number !== undefined) parts.where('i.number = ?', Number(number));
  else parts.where('strpos(i.search, ?) > 0', question.search?.trim().toLowerCase() || undefined);
  parts.where('i.status = ANY (?::text[])', listOf(question.status));
  parts.where('i.severity = ANY (?::text[])', listOf(question.severity));
  parts.where('i.planes && ?::text[]', listOf(question.plane));
  parts.where('i.target = ?', question.target === undefined ? undefined : canonicalTarget(question.target));
  parts.where('i.site = ?', question.site);
  parts.where('i.assigned_to = ?', question.assigned_to);
  // Those that were going on in the window: until somebody, or its recovery, has resolved it, and as long as anything of it fails.
  parts.where("(i.status <> 'resolved' OR i.resolved_at >= ?::timestamptz OR i.last_seen_at >= ?::timestamptz)", question.from);
  parts.where('i.started_at < ?::timestamptz', question.to);
  return parts;
}

async function readPage(sql: TenantSql, question: ListQuestion): Promise<(IncidentRow & { sort_key: unknown })[]> {
  const { by, type } = SORTS[question.sort];
  const parts = conditionsOf(question);
  if (question.cursor !== undefined) {
    const { first, number } = readCursor(question.cursor);
    parts.values.push(first, number);
    const [a, b] = [parts.values.length - 1, parts.values.length];
    parts.conditions.push(`(${by}, i.number) < ($${a}::text::${type}, $${b})`);
  }
  const where = parts.conditions.length > 0 ? `WHERE ${parts.conditions.join(' AND ')}` : '';
  const order = by === 'true' ? 'i.number DESC' : `${by} DESC, i.number DESC`;
  const { rows } = await sql.query<IncidentRow & { sort_key: unknown }>(
    `SELECT ${INCIDENT_COLUMNS}, ${by} AS sort_key FROM incidents i ${where} ORDER BY ${order} LIMIT ${question.limit + 1}`,
    parts.values,
  );
  return rows;
}

export async function readPulse(sql: TenantSql): Promise<IncidentPulse> {
  const { rows } = await sql.query<IncidentPulse>(
    `SELECT count(*)::int AS open, (count(*) FILTER (WHERE i.status = 'open'))::int AS unacknowledged,
       coalesce((SELECT last_seq FROM incident_counters), 0)::text AS revision FROM incidents i WHERE i.status <> 'resolved'`,
  );
  return rows[0] ?? { open: 0, unacknowledged: 0, revision: '0' };
}

/** A page of incidents, and how many are open in all. */
export async function listIncidents(
  deps: IncidentsDeps,
  { principal: { tenant } }: Ctx,
  question: ListQuestion,
): Promise<{ items: Incident[]; next_cursor: string | null; open: number }> {
  const { found, open } = await deps.relational.withTenantSql(tenant, async (sql) => ({
    found: await readPage(sql, question),
    open: (await readPulse(sql)).open,
  }));
  const shown = found.slice(0, Math.min(question.limit, countOfPage(found)));
  const nameOf = await nameThem(deps, tenant, shown.flatMap(peopleOf));
  const last = shown.at(-1);
  return {
    items: shown.map((row) => presentIncident(row, { tenant, nameOf })),
    next_cursor: found.length > shown.length && last ? writeCursor(last) : null,
    open,
  };
}
