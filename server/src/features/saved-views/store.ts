import type { ViewPage } from '@svc/contracts/saved-views/saved-view';
import { AppError, type TenantId } from '#kernel';
import { isUniqueViolation, type TenantSql } from '#relational';

/** Of one person and page. */
const MAX_OWN = 50;
/** Of one tenant and page. */
const MAX_SHARED = 200;

export interface ViewRow {
  id: string;
  owner: string;
  page: ViewPage;
  name: string;
  search: string;
  shared: boolean;
  updated_at: Date;
}

export interface ListedView extends ViewRow {
  is_default: boolean;
}

/** Pages of the first table, whose CHECK names them; all others are in the second (docs/console/saved-views.md). */
const FIRST_PAGES: readonly ViewPage[] = ['fleet', 'traces', 'logs'];
const FIRST = { views: 'saved_views', defaults: 'saved_view_defaults' } as const;
const FURTHER = { views: 'page_views', defaults: 'page_view_defaults' } as const;
const tablesOf = (page: ViewPage): typeof FIRST | typeof FURTHER => (FIRST_PAGES.includes(page) ? FIRST : FURTHER);

const FOREIGN_KEY_VIOLATION = '23503';
const COLUMNS = 'id, owner, page, name, search, shared, updated_at';

/** Changes of one tenant's views take turns, so that two at once cannot pass a bound together. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('saved-views/' || current_setting('app.tenant_id'), 0))";

/** The person's own and the shared ones: at most MAX_OWN and MAX_SHARED. */
export async function listViews(sql: TenantSql, person: string, page: ViewPage): Promise<ListedView[]> {
  const { views, defaults } = tablesOf(page);
  const { rows } = await sql.query<ListedView>(
    `SELECT v.id, v.owner, v.page, v.name, v.search, v.shared, v.updated_at, d.view_id IS NOT NULL AS is_default
     FROM ${views} v
     LEFT JOIN ${defaults} d ON d.tenant_id = v.tenant_id AND d.view_id = v.id AND d.account_id = $1
     WHERE v.page = $2 AND (v.shared OR v.owner = $1) ORDER BY lower(v.name), v.id`,
    [person, page],
  );
  return rows;
}

/** One that this person can see, kept as it is until the transaction ends; AppError `not_found` for any other. */
export async function holdView(sql: TenantSql, person: string, id: string): Promise<ViewRow> {
  await sql.query(LOCK);
  const of = (table: string): string => `SELECT ${COLUMNS} FROM ${table} WHERE id = $1 AND (shared OR owner = $2)`;
  const text = `${of(FIRST.views)} UNION ALL ${of(FURTHER.views)}`;
  const view = (await sql.query<ViewRow>(text, [id, person])).rows[0];
  if (!view) throw new AppError('not_found', 'There is no such view.');
  return view;
}

/** AppError `conflict` beyond a bound and for a name that is taken. */
export async function insertView(sql: TenantSql, tenant: TenantId, view: ViewRow): Promise<void> {
  await sql.query(LOCK);
  await demandRoom(sql, view, { isNew: true, isNewlyShared: view.shared });
  const { id, owner, page, name, search, shared, updated_at } = view;
  await namingConflicts(() =>
    sql.query(
      `INSERT INTO ${tablesOf(page).views} (tenant_id, id, owner, page, name, search, shared, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      [tenant, id, owner, page, name, search, shared, updated_at],
    ),
  );
}

/** The same refusals as insertView. One that is no longer shared is no longer the default of anybody but its owner. */
export async function changeView(sql: TenantSql, before: ViewRow, after: ViewRow): Promise<void> {
  await demandRoom(sql, after, { isNew: false, isNewlyShared: after.shared && !before.shared });
  const { id, name, search, shared, updated_at } = after;
  const { views, defaults } = tablesOf(after.page);
  await namingConflicts(() =>
    sql.query(`UPDATE ${views} SET name = $2, search = $3, shared = $4, updated_at = $5 WHERE id = $1`, [
      ...[id, name, search, shared, updated_at],
    ]),
  );
  if (before.shared && !shared)
    await sql.query(`DELETE FROM ${defaults} WHERE view_id = $1 AND account_id <> $2`, [id, after.owner]);
}

export async function deleteView(sql: TenantSql, { id, page }: Pick<ViewRow, 'id' | 'page'>): Promise<void> {
  await sql.query(`DELETE FROM ${tablesOf(page).views} WHERE id = $1`, [id]);
}

/** One default for each person and page: it takes the place of the one before. */
export async function putDefault(
  sql: TenantSql,
  tenant: TenantId,
  view: { person: string; page: ViewPage; id: string },
): Promise<void> {
  await sql.query(
    `INSERT INTO ${tablesOf(view.page).defaults} (tenant_id, account_id, page, view_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, account_id, page) DO UPDATE SET view_id = excluded.view_id`,
    [tenant, view.person, view.page, view.id],
  );
}

export async function dropDefault(sql: TenantSql, person: string, page: ViewPage): Promise<void> {
  await sql.query(`DELETE FROM ${tablesOf(page).defaults} WHERE account_id = $1 AND page = $2`, [person, page]);
}

async function demandRoom(
  sql: TenantSql,
  { owner, page }: ViewRow,
  { isNew, isNewlyShared }: { isNew: boolean; isNewlyShared: boolean },
): Promise<void> {
  const { rows } = await sql.query<{ own: string; shared: string }>(
    `SELECT count(*) FILTER (WHERE owner = $1) AS own, count(*) FILTER (WHERE shared) AS shared
     FROM ${tablesOf(page).views} WHERE page = $2 AND (owner = $1 OR shared)`,
    [owner, page],
  );
  const { own, shared } = rows[0] ?? { own: 0, shared: 0 };
  if (isNew && Number(own) >= MAX_OWN)
    throw new AppError('conflict', `You have ${MAX_OWN} views of this page, the most possible. Delete one first.`);
  if (isNewlyShared && Number(shared) >= MAX_SHARED)
    throw new AppError('conflict', `${MAX_SHARED} views of this page are shared, the most possible. Delete one first.`);
}

async function namingConflicts(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (cause) {
    if (isUniqueViolation(cause, 'saved_views_own_name') || isUniqueViolation(cause, 'page_views_own_name'))
      throw new AppError('conflict', 'You already have a view of this name. Choose another name.', { cause });
    if (isUniqueViolation(cause, 'saved_views_shared_name') || isUniqueViolation(cause, 'page_views_shared_name'))
      throw new AppError('conflict', 'A shared view has this name. Choose another name.', { cause });
    // Their membership ended beside this request.
    if (Reflect.get(Object(cause), 'code') === FOREIGN_KEY_VIOLATION)
      throw new AppError('forbidden', 'You are not a member of this tenant.', { cause });
    throw cause;
  }
}
