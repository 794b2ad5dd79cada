import type { ProviderKind } from '@svc/contracts/notify/kinds';
import type { Connection, TenantId } from '#kernel';
import type { Connections } from '../connectors/connections.ts';
import type { NotifyDeps } from '../context.ts';
import { originOf } from '../domain/plan.ts';

/** `provider/pager_a`: a webhook of the tenant's, of no connector of this server. */
const PROVIDER = /^provider\/(.+)$/;

/** What people call those who acted elsewhere: `PagerDuty (Network on call)`. */
export async function nameConnectors(
  { relational, providers }: Pick<NotifyDeps, 'relational' | 'providers'>,
  tenant: TenantId,
  actors: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const nameOf = (kind: string): string => providers[kind as ProviderKind]?.name ?? kind;
  for (const actor of actors) {
    const kind = PROVIDER.exec(actor)?.[1];
    if (kind !== undefined) names.set(actor, nameOf(kind));
  }
  const ids = actors.flatMap((actor) => originOf(actor) ?? []);
  if (ids.length === 0) return names;
  const { rows } = await relational.withSystemSql(tenant, (sql) =>
    sql.query<{ id: string; name: string; provider: string }>(
      'SELECT id, name, provider FROM notify_connectors WHERE id = ANY ($1::text[])',
      [ids],
    ),
  );
  for (const { id, name, provider } of rows)
    names.set(`connector/${id}`, name === nameOf(provider) ? name : `${nameOf(provider)} (${name})`);
  return names;
}

export async function listConnectorsOf(
  { relational }: Pick<NotifyDeps, 'relational'>,
  tenant: TenantId,
  provider: string,
): Promise<{ id: string; name: string }[]> {
  const text = 'SELECT id, name FROM notify_connectors WHERE provider = $1 AND deleted_at IS NULL ORDER BY lower(name), id';
  return (await relational.withSystemSql(tenant, (sql) => sql.query<{ id: string; name: string }>(text, [provider]))).rows;
}

/** The first of the tenant's connectors of a provider that can be used, or the one that is named. */
export async function openConnection(
  { relational, connections }: Pick<NotifyDeps, 'relational'> & { connections: Connections },
  tenant: TenantId,
  { provider, connector }: { provider: string; connector: string | null },
): Promise<Connection | undefined> {
  const { rows } = await relational.withSystemSql(tenant, (sql) =>
    sql.query<{ id: string; configured: boolean; secret: Buffer | null }>(
      `SELECT id, configured, secret FROM notify_connectors WHERE provider = $1 AND ($2::text IS NULL OR id = $2) AND deleted_at IS NULL
       ORDER BY created_at, id`,
      [provider, connector],
    ),
  );
  for (const row of rows) {
    const to = connections.open(tenant, row);
    if (to) return to;
  }
  return undefined;
}
