import type { Connector, ConnectorState } from '@svc/contracts/notify/connector';
import { INBOUND_PROVIDERS, type ProviderKind } from '@svc/contracts/notify/kinds';
import { AppError, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { Abilities, NotifyDeps } from '../context.ts';
import type { Connections } from './connections.ts';

export interface ConnectorRow {
  id: string;
  provider: ProviderKind;
  name: string;
  configured: boolean;
  secret: Buffer | null;
  shown: { settings: Record<string, string>; secrets: string[] };
  abilities: Abilities;
  state: ConnectorState;
  state_reason: string;
  state_by: string | null;
  state_at: Date | null;
  created_by: string;
  created_at: Date;
  rotated_at: Date | null;
  last_success_at: Date | null;
  last_answer: string;
  last_answer_at: Date | null;
  failing_since: Date | null;
  blocked_until: Date | null;
  sent: number;
  waiting: number;
  dead: number;
  p95_ms: number | null;
}

const SELECT = `SELECT c.id, c.provider, c.name, c.configured, c.secret, c.shown, c.abilities, c.state, c.state_reason, c.state_by, c.state_at,
    c.created_by, c.created_at, c.rotated_at, c.last_success_at, c.last_answer, c.last_answer_at, c.failing_since, c.blocked_until,
    o.sent, o.waiting, o.dead, o.p95_ms
  FROM notify_connectors c CROSS JOIN LATERAL (SELECT
      count(*) FILTER (WHERE m.state IN ('sent', 'accepted', 'confirmed', 'confirming') AND m.created_at > $1)::int AS sent,
      count(*) FILTER (WHERE m.state = 'waiting')::int AS waiting, count(*) FILTER (WHERE m.state = 'dead')::int AS dead,
      (percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM m.done_at - greatest(m.created_at, CASE WHEN m.is_delayed THEN m.tried_at END)) * 1000)
        FILTER (WHERE m.state IN ('sent', 'accepted', 'confirmed') AND m.created_at > $1))::float8 AS p95_ms
    FROM notify_outbox m WHERE m.tenant_id = c.tenant_id AND m.connector_id = c.id
      AND (m.created_at > $1 OR m.state IN ('waiting', 'dead'))) o
  WHERE c.deleted_at IS NULL`;
const DAY_MS = 86_400_000;

export const listRows = async (sql: TenantSql, nowMs: number): Promise<ConnectorRow[]> =>
  (await sql.query<ConnectorRow>(`${SELECT} ORDER BY lower(c.name), c.id`, [new Date(nowMs - DAY_MS)])).rows;

/** AppError `not_found` for one that is not this tenant's, or was deleted. */
export async function readRow(sql: TenantSql, id: string, nowMs: number): Promise<ConnectorRow> {
  const row = (await sql.query<ConnectorRow>(`${SELECT} AND c.id = $2`, [new Date(nowMs - DAY_MS), id])).rows[0];
  if (!row) throw new AppError('not_found', 'There is no such connector.');
  return row;
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;
const NAMELESS = 'former member';

interface Naming {
  tenant: TenantId;
  names: ReadonlyMap<string, string>;
  connections: Connections;
  providerName: string;
}

function presentOne(row: ConnectorRow, { tenant, names, connections, providerName }: Naming): Connector {
  const who = (id: string | null) => (id === null ? null : { id, name: names.get(id) ?? NAMELESS });
  const { capabilities } = row.abilities;
  return {
    ...{ id: row.id, provider: row.provider, provider_name: providerName, name: row.name },
    source: row.configured ? 'configuration' : 'console',
    is_missing: row.configured && connections.own.get(row.id)?.tenant !== tenant,
    ...{ state: row.state, state_reason: row.state_reason, state_by: who(row.state_by), state_at: iso(row.state_at) },
    ...{ settings: row.shown.settings, secrets: row.shown.secrets, created_at: row.created_at.toISOString() },
    created_by: row.configured ? null : who(row.created_by),
    ...{ rotated_at: iso(row.rotated_at), last_success_at: iso(row.last_success_at), last_answer: row.last_answer },
    ...{ last_answer_at: iso(row.last_answer_at), failing_since: iso(row.failing_since), next_try_at: iso(row.blocked_until) },
    abilities: {
      never_repeats: capabilities.hasKey || capabilities.canBeFound,
      acknowledges: capabilities.canAcknowledge,
      updates: capabilities.canUpdate,
      confirms: capabilities.confirms,
      comes_back: INBOUND_PROVIDERS.some((one) => one === row.provider),
    },
    ...{ sent_24h: row.sent, waiting: row.waiting, dead: row.dead, p95_ms: row.p95_ms },
  };
}

export async function presentConnectors(
  { nameActors, providers }: Pick<NotifyDeps, 'nameActors' | 'providers'>,
  { tenant, connections }: Pick<Naming, 'tenant' | 'connections'>,
  rows: readonly ConnectorRow[],
): Promise<Connector[]> {
  const people = new Set(
    rows.flatMap((row) => [...(row.configured ? [] : [row.created_by]), ...(row.state_by ? [row.state_by] : [])]),
  );
  const names = people.size > 0 ? await nameActors(tenant, [...people]) : new Map<string, string>();
  return rows.map((row) =>
    presentOne(row, { tenant, names, connections, providerName: providers[row.provider]?.name ?? row.provider }),
  );
}
