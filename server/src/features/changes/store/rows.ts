import type { Change } from '@svc/contracts/changes/change';
import type { TenantId } from '#kernel';

export interface ChangeRow {
  id: string;
  number: number;
  webhook_id: string;
  source: string;
  kind: Change['kind'];
  title: string;
  summary: string;
  target: string | null;
  anchor: string | null;
  prefix: string | null;
  target_from: Change['target_from'];
  actor: string | null;
  ref: string | null;
  url: string | null;
  attributes: Record<string, string>;
  repository: string | null;
  environment: string | null;
  occurred_at: Date;
  received_at: Date;
  finished_at: Date | null;
  state: Change['state'];
}

/** Of `changes c`. */
export const CHANGE_COLUMNS = `c.id, c.number::float8 AS number, c.webhook_id, c.source, c.kind, c.title, c.summary, c.target, c.anchor,
  c.network::text AS prefix, c.target_from, c.actor, c.ref, c.url, c.attributes, c.repository, c.environment, c.occurred_at, c.received_at,
  c.finished_at, c.state`;

export const presentChange = (row: ChangeRow, tenant: TenantId): Change => ({
  ...{ id: row.id, number: row.number, tenant_id: tenant, source: row.source, kind: row.kind, title: row.title },
  ...{ summary: row.summary, target: row.target, prefix: row.prefix, target_from: row.target_from, actor: row.actor },
  ...{ ref: row.ref, url: row.url, attributes: row.attributes, repository: row.repository, environment: row.environment },
  occurred_at: row.occurred_at.toISOString(),
  received_at: row.received_at.toISOString(),
  state: row.state,
  finished_at: row.finished_at?.toISOString() ?? null,
  webhook_id: row.webhook_id,
});
