import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import { AppError, type Clock, isTenantId, type TenantId } from '#kernel';
import { findTenant, followRows, type Relational } from '#relational';
import { type ConfiguredWebhook, sealContextOf, type WebhookCredential, type WebhookKind } from './kind.ts';

/** Ids that nobody has may make us look so often. */
const LOOK_EVERY_MS = 1000;

/** As `directory_<name>` gives it, with columns of the slice's own behind it. */
export interface DirectoryRow {
  id: string;
  tenant_id: string;
  provider: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: Date | null;
}

export interface RegistryDeps<Provider extends string, More extends object> {
  relational: Relational;
  sealer: Sealer;
  configured: readonly ConfiguredWebhook<Provider>[];
  /** Makes a tenant unless it is there. */
  ensureTenant: (tenant: TenantId) => Promise<void>;
  /** What the slice's own columns add to a credential; of one of the configuration they are not there. */
  moreOf: (row: Readonly<Record<string, unknown>> | undefined) => More;
  clock: Clock;
  log: FastifyBaseLogger;
}

type Known<Provider extends string, More extends object> = WebhookCredential<Provider> & More;

function toCredential<Provider extends string, More extends object>(
  { sealer, moreOf, log }: RegistryDeps<Provider, More>,
  kind: WebhookKind<Provider>,
  row: DirectoryRow,
): Known<Provider, More> | undefined {
  const { id, tenant_id: tenant } = row;
  const provider = kind.providers.find((one) => one === row.provider);
  if (!isTenantId(tenant) || !provider) return undefined;
  const open = (sealed: Buffer): string => sealer.open(sealed, sealContextOf(kind, tenant, id)).toString('utf8');
  try {
    const secrets = [{ value: open(row.secret), untilMs: null as number | null }];
    if (row.previous_secret && row.previous_until)
      secrets.push({ value: open(row.previous_secret), untilMs: row.previous_until.getTime() });
    return { id, tenant, provider, secrets, ...moreOf({ ...row }) };
  } catch (error) {
    log.error({ err: error, webhook: id }, `the secret of ${kind.words.one} cannot be opened: its deliveries are refused`);
    return undefined;
  }
}

/** Gives a webhook of the configuration its row, once for all replicas. Its secret stays in the configuration. */
const keepSql = ({ webhooks }: WebhookKind<string>['tables']): string =>
  `INSERT INTO ${webhooks} (tenant_id, id, provider, name, configured, created_by, created_at)
   VALUES ($1, $2, $3, $2, true, 'configuration', $4)
   ON CONFLICT (tenant_id, id) DO UPDATE SET provider = excluded.provider WHERE ${webhooks}.configured`;

/** Credentials as this process knows them, read again whenever one changes on any replica. They outlast the database's absence. */
export function createWebhookRegistry<Provider extends string, More extends object>(
  deps: RegistryDeps<Provider, More>,
  kind: WebhookKind<Provider>,
) {
  const { relational, configured, ensureTenant, moreOf, clock, log } = deps;
  let known: ReadonlyMap<string, Known<Provider, More>> = new Map();
  let refused = new Set<string>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const ofConfiguration = (): Known<Provider, More>[] =>
    configured
      .filter(({ tenant }) => !refused.has(tenant))
      .map(({ id, tenant, provider, secret }) => {
        const secrets = [{ value: secret, untilMs: null }];
        return { id, tenant, provider, secrets, ...moreOf(undefined) };
      });

  const load = async (): Promise<void> => {
    const rows = await relational.directory<DirectoryRow>(kind.directory);
    const own = rows.flatMap((row) => toCredential(deps, kind, row) ?? []);
    known = new Map([...own, ...ofConfiguration()].map((one) => [one.id, one]));
  };

  const directory = followRows({ relational, channels: [kind.channel], load, what: `the ${kind.words.many}`, log });

  const keepOwn = async ({ id, tenant, provider }: ConfiguredWebhook<Provider>): Promise<void> => {
    await ensureTenant(tenant);
    // The configuration outlives the tenant: a start must not fail on it, nor bring the tenant back.
    if (!(await findTenant(relational, tenant))) {
      log.warn({ tenant }, `${kind.configKey} names a tenant that was erased: its webhook is refused; remove it`);
      refused = new Set([...refused, tenant]);
      return;
    }
    const values = [tenant, id, provider, new Date(clock.now())];
    await relational.withSystemSql(tenant, (sql) => sql.query(keepSql(kind.tables), values));
  };

  return {
    refresh: directory.refresh,
    /** The credential of an id; undefined where nobody has it. AppError `unavailable` where that cannot be known now. */
    async find(id: string): Promise<Known<Provider, More> | undefined> {
      const found = known.get(id);
      if (found || performance.now() - lookedAtMs < LOOK_EVERY_MS) return found;
      lookedAtMs = performance.now();
      try {
        await directory.refresh();
      } catch (cause) {
        // The next one asks again: what cannot be known is not refused for good.
        lookedAtMs = Number.NEGATIVE_INFINITY;
        throw new AppError('unavailable', 'The webhooks cannot be read now. Send it again.', { cause, retryAfterSeconds: 5 });
      }
      return known.get(id);
    },
    async start(): Promise<void> {
      for (const one of configured) await keepOwn(one);
      await directory.start();
    },
    close: directory.close,
  };
}

export type WebhookRegistry<Provider extends string, More extends object> = ReturnType<
  typeof createWebhookRegistry<Provider, More>
>;
