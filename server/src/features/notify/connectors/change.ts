import {
  type ChangeConnector,
  type Connector,
  type CreateConnector,
  MAX_CONNECTORS,
  type ProviderForm,
  type RenameConnector,
} from '@svc/contracts/notify/connector';
import type { ProviderKind } from '@svc/contracts/notify/kinds';
import type { z } from 'zod';
import { randomToken } from '#crypto';
import {
  AppError,
  actorOf,
  type Connection,
  type Ctx,
  demandSecrets,
  hideQuery,
  keepQuery,
  type Provider,
  type TenantTurns,
} from '#kernel';
import type { TenantSql } from '#relational';
import { type NotifyDeps, TELL } from '../context.ts';
import type { Connections } from './connections.ts';
import { type ConnectorRow, listRows, presentConnectors, readRow } from './present.ts';

export interface ConnectorsDeps extends NotifyDeps {
  connections: Connections;
  /** Of trials, which go past the outbox and its paces. */
  trials: TenantTurns;
}

/** Changes of one tenant's connectors take turns, so that two at once cannot pass a bound together. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('notify-connectors/' || current_setting('app.tenant_id'), 0))";
const CONFIGURED = 'This connector stands in SVC_NOTIFY_CONNECTORS. Change it there.';

/** AppError `conflict` for a provider that this server does not have. */
export function providerOf({ providers }: Pick<NotifyDeps, 'providers'>, kind: ProviderKind): Provider {
  const provider = providers[kind];
  if (!provider) throw new AppError('conflict', 'This server cannot speak to that provider.');
  return provider;
}

/** The connection of a form's values; AppError `validation` with the names of what is wrong. */
export function parseValues(provider: Provider, values: Readonly<Record<string, string>>): Connection {
  const known = new Set(provider.fields.map(({ name }) => name));
  const faults = Object.keys(values)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `values.${name.slice(0, 64)}`, message: 'The form of this provider has no such field.' }));
  for (const { name, choices } of provider.fields) {
    const value = values[name];
    if (choices && value && !choices.includes(value))
      faults.push({ path: `values.${name}`, message: `One of ${choices.join(', ')}.` });
  }
  if (faults.length > 0) throw new AppError('validation', 'The connector cannot be used like this.', { faults });
  const { url = '', credential = '', ...settings } = values;
  return provider.parse({ url: url.trim(), credential: credential.trim(), settings });
}

const valuesOf = ({ url, credential, settings }: Connection): Record<string, string> => ({ ...settings, url, credential });

/** What of a connection may be shown, and the names of what is secret. */
export function shownOf(provider: Provider, connection: Connection): ConnectorRow['shown'] {
  const values: Record<string, string> = { ...valuesOf(connection), url: hideQuery(connection.url) };
  const given = provider.fields.filter(({ name }) => (values[name] ?? '') !== '');
  return {
    settings: Object.fromEntries(given.filter((one) => !one.is_secret).map(({ name }) => [name, values[name] ?? ''])),
    secrets: given.filter((one) => one.is_secret).map(({ name }) => name),
  };
}

export const abilitiesOf = (provider: Provider, to: Connection) => ({
  capabilities: provider.capabilities(to),
  pace: provider.pace(to),
});

export const listForms = ({ providers }: Pick<NotifyDeps, 'providers'>): ProviderForm[] =>
  Object.values(providers).map(({ kind, name, fields, testWarning }) => ({
    ...{ provider: kind, name, fields: [...fields], test_warning: testWarning },
  }));

export async function listConnectors(deps: ConnectorsDeps, { principal: { tenant } }: Ctx): Promise<Connector[]> {
  const rows = await deps.relational.withTenantSql(tenant, (sql) => listRows(sql, deps.clock.now()));
  return await presentConnectors(deps, { tenant, connections: deps.connections }, rows);
}

async function presentRow(deps: ConnectorsDeps, { principal: { tenant } }: Ctx, row: ConnectorRow): Promise<Connector> {
  const [connector] = await presentConnectors(deps, { tenant, connections: deps.connections }, [row]);
  if (!connector) throw new AppError('internal', 'A connector was not presented.');
  return connector;
}

export async function getConnector(deps: ConnectorsDeps, ctx: Ctx, id: string): Promise<Connector> {
  const row = await deps.relational.withTenantSql(ctx.principal.tenant, (sql) => readRow(sql, id, deps.clock.now()));
  return await presentRow(deps, ctx, row);
}

const INSERT = `INSERT INTO notify_connectors (tenant_id, id, provider, name, secret, shown, abilities, created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export async function createConnector(deps: ConnectorsDeps, ctx: Ctx, wish: z.infer<typeof CreateConnector>): Promise<Connector> {
  const { principal } = ctx;
  const { tenant } = principal;
  const provider = providerOf(deps, wish.provider);
  const connection = parseValues(provider, keepQuery(wish.values));
  const id = randomToken(12).replaceAll('-', 'a').replaceAll('_', 'b');
  const row = await deps.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(LOCK);
    const counted = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM notify_connectors WHERE deleted_at IS NULL');
    if ((counted.rows[0]?.n ?? 0) >= MAX_CONNECTORS)
      throw new AppError('conflict', `A tenant has at most ${MAX_CONNECTORS} connectors. Delete one first.`);
    await sql.query(INSERT, [
      ...[tenant, id, wish.provider, wish.name, deps.connections.seal(tenant, id, connection)],
      ...[JSON.stringify(shownOf(provider, connection)), JSON.stringify(abilitiesOf(provider, connection))],
      ...[principal.id, new Date(deps.clock.now())],
    ]);
    const object = { type: 'notify_connector', id };
    const detail = { provider: wish.provider };
    await deps.appendAudit(sql, { actor: actorOf(principal), action: 'notify_connector.create', object, detail });
    return await readRow(sql, id, deps.clock.now());
  });
  return await presentRow(deps, ctx, row);
}

interface Change {
  action: string;
  mayBeConfigured?: boolean;
  /** False where there is nothing to do. */
  apply(sql: TenantSql, row: ConnectorRow): Promise<boolean>;
}

/** One change of a connector and its entry in the trail, in one transaction. Idempotent. */
async function change(
  deps: ConnectorsDeps,
  ctx: Ctx,
  { id, what }: { id: string; what: Change },
): Promise<ConnectorRow | undefined> {
  const { principal } = ctx;
  return await deps.relational.withTenantSql(principal.tenant, async (sql) => {
    await sql.query(LOCK);
    const row = await readRow(sql, id, deps.clock.now());
    if (row.configured && !what.mayBeConfigured) throw new AppError('conflict', CONFIGURED);
    if (!(await what.apply(sql, row))) return row;
    await sql.query(TELL);
    const object = { type: 'notify_connector', id };
    await deps.appendAudit(sql, { actor: actorOf(principal), action: what.action, object });
    return await readRow(sql, id, deps.clock.now()).catch(() => undefined);
  });
}

async function changeAndPresent(deps: ConnectorsDeps, ctx: Ctx, of: { id: string; what: Change }): Promise<Connector> {
  const row = await change(deps, ctx, of);
  if (!row) throw new AppError('not_found', 'There is no such connector.');
  return await presentRow(deps, ctx, row);
}

export const renameConnector = (deps: ConnectorsDeps, ctx: Ctx, wish: z.infer<typeof RenameConnector>): Promise<Connector> =>
  changeAndPresent(deps, ctx, {
    id: wish.id,
    what: {
      action: 'notify_connector.rename',
      async apply(sql, row) {
        if (row.name === wish.name) return false;
        await sql.query('UPDATE notify_connectors SET name = $2 WHERE id = $1', [wish.id, wish.name]);
        return true;
      },
    },
  });

const ROTATE = `UPDATE notify_connectors SET secret = $2, secret_version = secret_version + 1, shown = $3, abilities = $4, rotated_at = $5,
    failures = 0, failing_since = NULL, blocked_until = NULL, state = CASE WHEN state = 'broken' THEN 'active' ELSE state END,
    state_reason = CASE WHEN state = 'broken' THEN '' ELSE state_reason END WHERE id = $1`;

/** Another credential or other settings: messages that wait go by them; one on its way goes by the former. */
export const changeConnector = (deps: ConnectorsDeps, ctx: Ctx, wish: z.infer<typeof ChangeConnector>): Promise<Connector> =>
  changeAndPresent(deps, ctx, {
    id: wish.id,
    what: {
      action: 'notify_connector.rotate',
      async apply(sql, row) {
        const { tenant } = ctx.principal;
        const provider = providerOf(deps, row.provider);
        const former = deps.connections.open(tenant, row);
        const secret = new Set(provider.fields.filter((one) => one.is_secret).map(({ name }) => name));
        const kept = Object.entries(former ? valuesOf(former) : {}).filter(([name]) => secret.has(name));
        const given = Object.entries(wish.values).filter(([name, value]) => value !== '' || !secret.has(name));
        const connection = parseValues(provider, keepQuery(Object.fromEntries([...kept, ...given]), former));
        demandSecrets({ former, next: connection, given: wish.values, secrets: secret });
        await sql.query(ROTATE, [
          ...[wish.id, deps.connections.seal(tenant, wish.id, connection), JSON.stringify(shownOf(provider, connection))],
          ...[JSON.stringify(abilitiesOf(provider, connection)), new Date(deps.clock.now())],
        ]);
        return true;
      },
    },
  });

const SET_STATE = `UPDATE notify_connectors SET state = $2, state_reason = '', state_by = $3, state_at = $4, failures = 0, failing_since = NULL,
  blocked_until = NULL WHERE id = $1`;

const setState = (deps: ConnectorsDeps, ctx: Ctx, of: { id: string; state: 'active' | 'paused' }): Promise<Connector> =>
  changeAndPresent(deps, ctx, {
    id: of.id,
    what: {
      action: of.state === 'paused' ? 'notify_connector.pause' : 'notify_connector.resume',
      mayBeConfigured: true,
      async apply(sql, row) {
        if (row.state === of.state && row.blocked_until === null) return false;
        await sql.query(SET_STATE, [of.id, of.state, ctx.principal.id, new Date(deps.clock.now())]);
        return true;
      },
    },
  });

/** What is written for it waits. */
export const pauseConnector = (deps: ConnectorsDeps, ctx: Ctx, id: string): Promise<Connector> =>
  setState(deps, ctx, { id, state: 'paused' });

/** Also of one that is broken or does not answer: it is tried at once. */
export const resumeConnector = (deps: ConnectorsDeps, ctx: Ctx, id: string): Promise<Connector> =>
  setState(deps, ctx, { id, state: 'active' });

const DROP = `UPDATE notify_outbox SET state = 'dropped', why = 'the connector was deleted', done_at = $2, lease_id = NULL, lease_until = NULL
  WHERE connector_id = $1 AND state IN ('waiting', 'confirming')`;
const REMOVE = `UPDATE notify_connectors SET deleted_at = $2, secret = NULL, secret_version = secret_version + 1, shown = '{"settings":{},"secrets":[]}'
  WHERE id = $1`;

/** Its credential goes; what waits is not sent any more; what it told of stays to be read. */
export async function removeConnector(deps: ConnectorsDeps, ctx: Ctx, id: string): Promise<void> {
  await change(deps, ctx, {
    id,
    what: {
      action: 'notify_connector.delete',
      mayBeConfigured: true,
      async apply(sql, row) {
        if (row.configured && deps.connections.own.get(id)?.tenant === ctx.principal.tenant)
          throw new AppError('conflict', CONFIGURED);
        const now = new Date(deps.clock.now());
        await sql.query(DROP, [id, now]);
        await sql.query(REMOVE, [id, now]);
        return true;
      },
    },
  });
}
