import type { Change, ChangeListQuery } from '@svc/contracts/changes/change';
import { countOfPage } from '#api';
import { AppError, type Ctx, parseAddress, parseAnyPrefix } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { anchorOf } from '../domain/anchor.ts';
import { SEARCH_COLUMNS, searchBits } from '../domain/search-bits.ts';
import { CHANGE_COLUMNS, type ChangeRow, presentChange } from './rows.ts';
import { createWhere, type Where } from './where.ts';

/** Lists with one value or several, as they come in a query string. */
export type ListQuestion = Omit<ChangeListQuery, 'kind'> & {
  kind?: Change['kind'] | readonly Change['kind'][] | undefined;
};

function readCursor(cursor: string): { at: string; number: number } {
  const [at = '', number = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,15}$/.test(number) || !/^\d{4}-[\dT:.-]+Z$/.test(at) || Number.isNaN(Date.parse(at)))
    throw new AppError('validation', 'The cursor is not one that this list gave.');
  return { at, number: Number(number) };
}

const writeCursor = ({ occurred_at: at, number }: ChangeRow): string =>
  Buffer.from(`${at.toISOString()} ${number}`).toString('base64url');

/** A CIDR, or an address as the smallest one. */
function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address) return `${text.replace(/^\[(.*)\]$/, '$1')}/${address.bits === 32 && text.includes(':') ? 128 : address.bits}`;
  if (!parseAnyPrefix(text)) throw new AppError('validation', 'This is no network such as 203.0.113.0/24, and no address.');
  return text;
}

/** `#12` is one change; anything else is looked for in the text. */
function readSearch(question: ListQuestion): { number?: number; text?: string } {
  const search = question.search?.trim() ?? '';
  const number = /^#(\d{1,12})$/.exec(search)?.[1];
  if (number !== undefined) return { number: Number(number) };
  return search === '' ? {} : { text: search.toLowerCase() };
}

/** Those that may hold the text, in the order of the timeline: read in an index alone, which row-level security leaves to be read. */
const MAY_HOLD = 'changes s JOIN changes c ON c.tenant_id = s.tenant_id AND c.number = s.number';

/** Conditions, and the rows that they are on: those of the time are on the rows that give the order. */
function whereOf(question: ListQuestion): { where: Where; from: string; of: 's' | 'c' } {
  const where = createWhere();
  const { number, text } = readSearch(question);
  const [of, from] = text === undefined ? (['c', 'changes c'] as const) : (['s', MAY_HOLD] as const);
  where.and('c.number = ?', number);
  if (text !== undefined) {
    const bits = searchBits(text);
    for (const column of SEARCH_COLUMNS)
      if (bits[column] !== '0') where.and(`coalesce(s.${column} & ?::bigint, ?::bigint) = ?::bigint`, bits[column]);
    where.and('strpos(c.search, ?) > 0', text);
  }
  const kinds = question.kind === undefined ? undefined : [question.kind].flat();
  where.and('c.kind = ANY (?::text[])', kinds && kinds.length > 0 ? kinds : undefined);
  where.and('c.source = ?', question.source);
  where.and('c.actor = ?', question.actor);
  where.and('c.webhook_id = ?', question.webhook);
  if (question.target !== undefined) where.and('c.anchor = ?', anchorOf({ target: question.target, prefix: null }).anchor ?? '');
  if (question.prefix !== undefined) where.andAny(where.networks([networkOf(question.prefix)]));
  if (question.untargeted) where.and('c.anchor IS NULL AND c.network IS NULL', true);
  where.and(`${of}.occurred_at >= ?::timestamptz`, question.from);
  where.and(`${of}.occurred_at < ?::timestamptz`, question.to);
  if (question.cursor !== undefined) {
    const { at, number: last } = readCursor(question.cursor);
    where.andPair(`(${of}.occurred_at, ${of}.number) < (?::timestamptz, ?::bigint)`, [at, last]);
  }
  return { where, from, of };
}

/** A page of the timeline, the newest first. */
export async function listChanges(
  { relational }: { relational: Relational },
  { principal: { tenant } }: Ctx,
  question: ListQuestion,
): Promise<{ items: Change[]; next_cursor: string | null }> {
  const { where, from, of } = whereOf(question);
  const text = `SELECT ${CHANGE_COLUMNS} FROM ${from} ${where.text()}
    ORDER BY ${of}.occurred_at DESC, ${of}.number DESC LIMIT ${question.limit + 1}`;
  const { rows } = await relational.withTenantSql(tenant, (sql) => sql.query<ChangeRow>(text, where.values));
  const shown = rows.slice(0, Math.min(question.limit, countOfPage(rows)));
  const last = shown.at(-1);
  return {
    items: shown.map((row) => presentChange(row, tenant)),
    next_cursor: rows.length > shown.length && last ? writeCursor(last) : null,
  };
}

/** AppError `not_found` for one that is not this tenant's. */
export async function readChange(sql: TenantSql, id: string): Promise<ChangeRow> {
  const row = (await sql.query<ChangeRow>(`SELECT ${CHANGE_COLUMNS} FROM changes c WHERE c.id = $1`, [id])).rows[0];
  if (!row) throw new AppError('not_found', 'There is no such change.');
  return row;
}

/** Of the newest ones, what the timeline can be narrowed by. */
const FACETS = `WITH newest AS MATERIALIZED (SELECT c.source, c.actor FROM changes c ORDER BY c.occurred_at DESC, c.number DESC LIMIT 5000)
  SELECT ARRAY(SELECT source FROM newest GROUP BY source ORDER BY count(*) DESC, source LIMIT 50) AS sources,
    ARRAY(SELECT actor FROM newest WHERE actor IS NOT NULL GROUP BY actor ORDER BY count(*) DESC, actor LIMIT 100) AS actors`;

export async function readFacets(sql: TenantSql): Promise<{ sources: string[]; actors: string[] }> {
  return (await sql.query<{ sources: string[]; actors: string[] }>(FACETS)).rows[0] ?? { sources: [], actors: [] };
}
