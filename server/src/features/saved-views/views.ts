import type { Permission } from '@svc/contracts/permissions';
import type { CreateSavedView, SavedView, UpdateSavedView, ViewPage } from '@svc/contracts/saved-views/saved-view';
import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { countOfPage } from '#api';
import { AppError, actorOf, type Ctx, type Principal } from '#kernel';
import type { TenantSql } from '#relational';
import type { SavedViewsDeps } from './context.ts';
import { mayDelete, mayDeleteAny, readPermission, sharePermission } from './domain/view-rights.ts';
import {
  changeView,
  deleteView,
  dropDefault,
  holdView,
  insertView,
  type ListedView,
  listViews,
  putDefault,
  type ViewRow,
} from './store.ts';

function demand({ principal }: Ctx, permission: Permission): void {
  if (!principal.permissions.has(permission)) throw new AppError('forbidden', `This needs the permission ${permission}.`);
}

/** API tokens read what is shared; a view and a default belong to a person. */
function demandPerson({ principal }: Ctx): string {
  if (principal.kind !== 'account') throw new AppError('forbidden', 'Saved views belong to people. Sign in to change them.');
  return principal.id;
}

const toView = ({ owner, updated_at, ...view }: ListedView, { id }: Principal): SavedView => ({
  ...view,
  is_mine: owner === id,
  updated_at: updated_at.toISOString(),
});

export async function listFor({ relational }: SavedViewsDeps, ctx: Ctx, page: ViewPage) {
  demand(ctx, readPermission(page));
  const { tenant, id, kind, permissions } = ctx.principal;
  const rows = await relational.withTenantSql(tenant, (sql) => listViews(sql, id, page));
  return {
    // As many as an answer may have.
    items: rows.slice(0, countOfPage(rows)).map((row) => toView(row, ctx.principal)),
    may_save: kind === 'account',
    may_share: kind === 'account' && permissions.has(sharePermission(page)),
    may_delete_any: kind === 'account' && mayDeleteAny(permissions),
  };
}

/** The trail has what others see: a private view, and what it is called, is its owner's business. */
async function noteShared(
  deps: SavedViewsDeps,
  sql: TenantSql,
  entry: { ctx: Ctx; action: string; view: ViewRow },
): Promise<void> {
  const { ctx, action, view } = entry;
  await deps.appendAudit(sql, {
    actor: actorOf(ctx.principal),
    action,
    object: { type: 'saved_view', id: view.id },
    detail: { page: view.page },
  });
}

export async function createView(deps: SavedViewsDeps, ctx: Ctx, input: z.output<typeof CreateSavedView>): Promise<SavedView> {
  demand(ctx, readPermission(input.page));
  if (input.shared) demand(ctx, sharePermission(input.page));
  const view = { ...input, id: uuidv7(), owner: demandPerson(ctx), updated_at: new Date(deps.clock.now()) };
  await deps.relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    await insertView(sql, ctx.principal.tenant, view);
    if (view.shared) await noteShared(deps, sql, { ctx, action: 'saved_view.share', view });
  });
  return toView({ ...view, is_default: false }, ctx.principal);
}

const actionOf = (before: ViewRow, after: ViewRow): string | undefined => {
  if (before.shared && after.shared) return 'saved_view.change';
  if (before.shared) return 'saved_view.unshare';
  return after.shared ? 'saved_view.share' : undefined;
};

/** By its owner alone; whoever lost the permission to share may still take a view back. */
export async function updateView(deps: SavedViewsDeps, ctx: Ctx, input: z.output<typeof UpdateSavedView>): Promise<SavedView> {
  const person = demandPerson(ctx);
  const { tenant } = ctx.principal;
  return await deps.relational.withTenantSql(tenant, async (sql) => {
    const before = await holdView(sql, person, input.id);
    demand(ctx, readPermission(before.page));
    if (before.owner !== person) throw new AppError('forbidden', 'Only the owner of a view can change it.');
    const { name = before.name, search = before.search, shared = before.shared } = input;
    if (shared) demand(ctx, sharePermission(before.page));
    const view = { ...before, name, search, shared, updated_at: new Date(deps.clock.now()) };
    await changeView(sql, before, view);
    const action = actionOf(before, view);
    if (action) await noteShared(deps, sql, { ctx, action, view });
    const changed = (await listViews(sql, person, view.page)).find(({ id }) => id === view.id);
    return toView(changed ?? { ...view, is_default: false }, ctx.principal);
  });
}

export async function removeView(deps: SavedViewsDeps, ctx: Ctx, id: string): Promise<void> {
  const person = demandPerson(ctx);
  await deps.relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const view = await holdView(sql, person, id);
    demand(ctx, readPermission(view.page));
    if (!mayDelete(ctx.principal.permissions, { isMine: view.owner === person, shared: view.shared }))
      throw new AppError('forbidden', 'Only its owner or an administrator can delete a shared view.');
    await deleteView(sql, view);
    if (view.shared) await noteShared(deps, sql, { ctx, action: 'saved_view.delete', view });
  });
}

/** Choosing the same again changes nothing. */
export async function setDefault(
  deps: SavedViewsDeps,
  ctx: Ctx,
  { page, id }: { page: ViewPage; id: string | null },
): Promise<void> {
  demand(ctx, readPermission(page));
  const person = demandPerson(ctx);
  const { tenant } = ctx.principal;
  await deps.relational.withTenantSql(tenant, async (sql) => {
    if (id === null) return await dropDefault(sql, person, page);
    const view = await holdView(sql, person, id);
    if (view.page !== page) throw new AppError('not_found', 'There is no such view of this page.');
    await putDefault(sql, tenant, { person, page, id });
  });
}
