import { randomToken, type Sealer } from '#crypto';
import { AppError, type AuditEntry, actorOf, type Clock, type Ctx, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { sealContextOf, type WebhookKind } from './kind.ts';
import type { createWebhookRows, WebhookRow } from './rows.ts';

const HOUR_MS = 3_600_000;

export interface ManagerDeps {
  relational: Relational;
  sealer: Sealer;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** Names of people and tokens by id; who is erased has none. */
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Where deliveries are sent to: https://host[:port]. */
  publicUrl: string;
  registry: { refresh(): Promise<void> };
  /** Writes what was counted of refusals so far. */
  settle: () => Promise<void>;
  clock: Clock;
}

export interface Managing<Row extends WebhookRow<string, string>, More extends object> {
  kind: WebhookKind<Row['provider']>;
  rows: ReturnType<typeof createWebhookRows<Row>>;
  /** As in `mountReceiver`. */
  path: string;
  /** As the trail calls one, and what people do with it. */
  object: string;
  actions: Readonly<Record<'create' | 'rename' | 'rotate' | 'delete', string>>;
  /** Begins a secret that is made here. */
  secretPrefix: string;
  /** AppError `validation` for a secret that could verify nothing. */
  demandUsable?: (provider: Row['provider'], secret: string) => void;
  /** What is shown of each beside what all webhooks show. */
  readMore: (tenant: TenantId, rows: readonly Row[]) => Promise<(row: Row) => More>;
}

/** As a webhook is shown. */
export interface ManagedWebhook<Row extends WebhookRow<string, string>> {
  id: string;
  provider: Row['provider'];
  name: string;
  source: 'configuration' | 'console';
  address: string;
  created_at: string;
  created_by: { id: string; name: string } | null;
  rotated_at: string | null;
  overlap_until: string | null;
  last_delivery_at: string | null;
  deliveries: number;
  refusals: Row['refusals'];
}

const newSecret = (prefix: string): string => `${prefix}${randomToken(32)}`;

function createPresenter<Row extends WebhookRow<string, string>, More extends object>(
  { nameActors, publicUrl, clock }: ManagerDeps,
  { path, readMore }: Managing<Row, More>,
) {
  const presentAll = async (tenant: TenantId, rows: readonly Row[]): Promise<(ManagedWebhook<Row> & More)[]> => {
    const people = [...new Set(rows.filter(({ configured }) => !configured).map((row) => row.created_by))];
    const names = people.length > 0 ? await nameActors(tenant, people) : new Map<string, string>();
    const moreOf = await readMore(tenant, rows);
    return rows.map((row) => ({
      ...{ id: row.id, provider: row.provider as Row['provider'], name: row.name },
      source: row.configured ? ('configuration' as const) : ('console' as const),
      address: `${publicUrl}${path}/${row.provider}/${row.id}`,
      created_at: row.created_at.toISOString(),
      created_by: row.configured ? null : { id: row.created_by, name: names.get(row.created_by) ?? 'former member' },
      rotated_at: row.rotated_at?.toISOString() ?? null,
      overlap_until: row.previous_until && row.previous_until.getTime() > clock.now() ? row.previous_until.toISOString() : null,
      last_delivery_at: row.last_delivery_at?.toISOString() ?? null,
      ...{ deliveries: row.deliveries, refusals: row.refusals as Row['refusals'] },
      ...moreOf(row),
    }));
  };
  return {
    presentAll,
    async presentOne(tenant: TenantId, row: Row): Promise<ManagedWebhook<Row> & More> {
      const [webhook] = await presentAll(tenant, [row]);
      if (!webhook) throw new AppError('internal', 'A webhook was not presented.');
      return webhook;
    },
  };
}

/** What the slice gives for a new one: its provider, its secret if the sender made one, and values of the slice's own columns. */
export interface Wish<Provider> {
  provider: Provider;
  name: string;
  secret?: string | undefined;
  columns?: Readonly<Record<string, unknown>>;
}

const countSql = ({ tables }: WebhookKind<string>): string =>
  `SELECT count(*)::int AS n FROM ${tables.webhooks} WHERE NOT configured`;

function createStatements({ tables: { webhooks } }: WebhookKind<string>) {
  return {
    insert: (columns: readonly string[]): string =>
      `INSERT INTO ${webhooks} (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
    rename: `UPDATE ${webhooks} SET name = $2 WHERE id = $1`,
    rotate: `UPDATE ${webhooks} SET previous_secret = CASE WHEN $4 THEN secret END, previous_until = $3, secret = $2, rotated_at = $5 WHERE id = $1`,
    remove: `DELETE FROM ${webhooks} WHERE id = $1`,
  };
}

/** What each change has around it. */
function createGuards<Row extends WebhookRow<string, string>, More extends object>(
  { appendAudit, clock }: ManagerDeps,
  { kind, rows, object: type }: Managing<Row, More>,
) {
  const { words, most, configKey } = kind;
  return {
    async tell(sql: TenantSql, { principal }: Ctx, entry: { action: string; id: string; detail?: AuditEntry['detail'] }) {
      const { action, id, detail } = entry;
      await appendAudit(sql, { actor: actorOf(principal), action, object: { type, id }, ...(detail ? { detail } : {}) });
    },
    async demandRoom(sql: TenantSql): Promise<void> {
      await rows.takeTurn(sql);
      const counted = await sql.query<{ n: number }>(countSql(kind));
      if ((counted.rows[0]?.n ?? 0) >= most)
        throw new AppError('conflict', `A tenant has at most ${most} ${words.many}. Delete one first.`);
    },
    /** AppError `conflict` for one of the configuration. */
    async hold(sql: TenantSql, id: string): Promise<Row> {
      await rows.takeTurn(sql);
      const row = await rows.read(sql, id, clock.now());
      if (row.configured) throw new AppError('conflict', `This webhook stands in ${configKey}. Change it there.`);
      return row;
    },
  };
}

/** What people do with webhooks: each change with its entry in the trail in one transaction, and known to every replica at its end. */
export function createWebhookManager<Row extends WebhookRow<string, string>, More extends object>(
  deps: ManagerDeps,
  managing: Managing<Row, More>,
) {
  const { relational, registry, settle, clock } = deps;
  const { kind, rows, actions, demandUsable, secretPrefix } = managing;
  const { presentAll, presentOne } = createPresenter(deps, managing);
  const { tell, demandRoom, hold } = createGuards(deps, managing);
  const text = createStatements(kind);
  const seal = (tenant: TenantId, id: string, secret: string): Buffer =>
    deps.sealer.seal(secret, sealContextOf(kind, tenant, id));

  return {
    presentOne,
    async list({ principal: { tenant } }: Ctx): Promise<(ManagedWebhook<Row> & More)[]> {
      await settle();
      return await presentAll(tenant, await relational.withTenantSql(tenant, (sql) => rows.list(sql, clock.now())));
    },

    /** Its secret is in the answer and nowhere else. */
    async create(ctx: Ctx, { provider, name, columns = {}, ...wish }: Wish<Row['provider']>) {
      const { tenant, id: createdBy } = ctx.principal;
      const { secret = newSecret(secretPrefix) } = wish;
      demandUsable?.(provider, secret);
      const id = randomToken(12).replaceAll('-', 'a').replaceAll('_', 'b');
      const row = await relational.withTenantSql(tenant, async (sql) => {
        await demandRoom(sql);
        const own = { tenant_id: tenant, id, provider, name, secret: seal(tenant, id, secret), created_by: createdBy };
        const values = { ...own, created_at: new Date(clock.now()), ...columns };
        await sql.query(text.insert(Object.keys(values)), Object.values(values));
        await tell(sql, ctx, { action: actions.create, id, detail: { provider } });
        return await rows.read(sql, id, clock.now());
      });
      await registry.refresh();
      return { webhook: await presentOne(tenant, row), secret };
    },

    async rename(ctx: Ctx, { id, name }: { id: string; name: string }) {
      const { tenant } = ctx.principal;
      const row = await relational.withTenantSql(tenant, async (sql) => {
        const before = await rows.read(sql, id, clock.now());
        if (before.name === name) return before;
        await sql.query(text.rename, [id, name]);
        await tell(sql, ctx, { action: actions.rename, id });
        return { ...before, name };
      });
      return await presentOne(tenant, row);
    },

    /** Another secret; that before it is taken for as long as was asked. */
    async rotate(
      ctx: Ctx,
      { id, overlap_hours: hours, ...wish }: { id: string; overlap_hours: number; secret?: string | undefined },
    ) {
      const { tenant } = ctx.principal;
      const { secret = newSecret(secretPrefix) } = wish;
      const row = await relational.withTenantSql(tenant, async (sql) => {
        const { provider } = await hold(sql, id);
        demandUsable?.(provider, secret);
        const now = clock.now();
        const until = hours > 0 ? new Date(now + hours * HOUR_MS) : null;
        await sql.query(text.rotate, [id, seal(tenant, id, secret), until, hours > 0, new Date(now)]);
        await tell(sql, ctx, { action: actions.rotate, id, detail: { overlap_hours: hours } });
        return await rows.read(sql, id, now);
      });
      await registry.refresh();
      return { webhook: await presentOne(tenant, row), secret };
    },

    /** Its deliveries are refused from then on; what it told of stays. */
    async remove(ctx: Ctx, id: string): Promise<void> {
      await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
        await hold(sql, id);
        await sql.query(text.remove, [id]);
        await tell(sql, ctx, { action: actions.delete, id });
      });
      await registry.refresh();
    },
  };
}
