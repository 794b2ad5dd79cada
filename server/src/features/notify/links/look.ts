import type { ObjectNews, Reference, TenantId } from '#kernel';
import { assertFence, type Fence, type LeasedWork, startLeasedWork, visitTenants } from '#relational';
import type { Connections } from '../connectors/connections.ts';
import type { NotifyDeps } from '../context.ts';
import type { SendingConnector } from '../outbox/rows.ts';
import { takeNews } from './outside.ts';

const EVERY_MS = 60_000;
/** Some providers tell once and never again: what is open is looked up so often. */
const LOOK_EVERY_MS = 10 * 60_000;
/** Of one tenant and round, so that the provider's rate is left to messages. */
const MAX_LOOKS = 20;
/** Of one tenant and round: a provider that hangs is not waited for while others' wait. What is left has its turn in the next ten minutes. */
const LOOKS_MS = 15_000;

type Due = Pick<SendingConnector, 'provider' | 'configured' | 'secret'> & {
  incident_id: string;
  connector_id: string;
  reference: Reference;
  acknowledged_at: Date | null;
};

const DUE = `UPDATE notify_links u SET looked_at = $1 FROM (SELECT l.incident_id, l.connector_id, c.provider, c.configured, c.secret
    FROM notify_links l JOIN notify_connectors c ON c.tenant_id = l.tenant_id AND c.id = l.connector_id
    WHERE l.state = 'open' AND l.reference IS NOT NULL AND coalesce(l.looked_at, l.opened_at) < $2 AND c.deleted_at IS NULL
      AND c.state = 'active' AND c.failures = 0 AND (c.abilities #>> '{capabilities,canLook}') = 'true'
    ORDER BY l.looked_at NULLS FIRST LIMIT ${MAX_LOOKS} FOR UPDATE OF l SKIP LOCKED) d
  WHERE u.incident_id = d.incident_id AND u.connector_id = d.connector_id
  RETURNING u.incident_id, u.connector_id, u.reference, u.acknowledged_at, d.provider, d.configured, d.secret`;

async function lookAt(
  deps: NotifyDeps,
  { tenant, connections }: { tenant: TenantId; connections: Connections },
  due: Due,
): Promise<void> {
  const to = connections.open(tenant, { id: due.connector_id, configured: due.configured, secret: due.secret });
  const provider = deps.providers[due.provider];
  if (!to || !provider) return;
  const state = await provider.look(to, due.reference);
  const became = { resolved: 'resolved', gone: 'deleted', acknowledged: 'acknowledged' } as const;
  if (state === 'open' || state === 'unknown' || (state === 'acknowledged' && due.acknowledged_at !== null)) return;
  const news: ObjectNews = {
    ...{ names: [{ id: due.reference.id }, { key: `svc-${due.incident_id}` }], became: became[state] },
    ...{ order: null, atMs: null, by: null },
  };
  await takeNews(deps, tenant, { provider: due.provider, connector: due.connector_id, news });
}

/** Looks up what is open at providers of a tenant that can be asked and was not for ten minutes. */
export async function lookUp(
  deps: NotifyDeps,
  { tenant, connections }: { tenant: TenantId; connections: Connections },
  fence?: Fence,
): Promise<number> {
  const nowMs = deps.clock.now();
  const due = await deps.relational.withSystemSql(tenant, async (sql) => {
    if (fence) await assertFence(sql, fence);
    return (await sql.query<Due>(DUE, [new Date(nowMs), new Date(nowMs - LOOK_EVERY_MS)])).rows;
  });
  const endMs = nowMs + LOOKS_MS;
  for (const one of due) {
    if (fence?.signal.aborted || deps.clock.now() > endMs) break;
    await lookAt(deps, { tenant, connections }, one).catch((error: unknown) =>
      deps.log.warn({ err: error, tenant, connector: one.connector_id }, 'what is open at a provider could not be looked up'),
    );
  }
  return due.length;
}

export const startLooks = (deps: NotifyDeps, connections: Connections): LeasedWork =>
  startLeasedWork(deps.relational, {
    name: 'notify-looks',
    everyMs: EVERY_MS,
    log: deps.log,
    work: (fence) => visitTenants(deps, fence, async (tenant) => void (await lookUp(deps, { tenant, connections }, fence))),
  });
