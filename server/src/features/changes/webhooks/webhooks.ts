import type { Webhook, WebhookDetail } from '@svc/contracts/changes/webhook';
import { AppError, type Ctx } from '#kernel';
import { createWebhookManager, type ManagerDeps } from '#webhooks';
import { CHANGE_WEBHOOKS, CHANGES_PATH } from '../ingest/kind.ts';
import { readRules } from '../store/rules.ts';
import { type ChangeWebhookRow, readDeliveries, webhookRows } from './store.ts';

const LAST_DELIVERIES = 50;

export type WebhooksDeps = ManagerDeps;

/** One of GitLab's signing tokens is a key: one that is none would verify nothing for ever. */
function demandUsable(provider: Webhook['provider'], secret: string): void {
  if (provider !== 'forge_b' || !secret.startsWith('whsec_')) return;
  const key = secret.slice('whsec_'.length);
  if (!/^[A-Za-z0-9+/]{20,}={0,2}$/.test(key))
    throw new AppError('validation', 'A signing token is whsec_ and a key in base64. Copy it whole.');
}

const countsOf = ({ events_stored, without_target }: ChangeWebhookRow) => ({ events_stored, without_target });

/** What people do with webhooks of changes. The changes that one told of stay when it is deleted. */
export function createWebhooks(deps: WebhooksDeps) {
  const { presentOne, ...manager } = createWebhookManager(deps, {
    ...{ kind: CHANGE_WEBHOOKS, rows: webhookRows, path: CHANGES_PATH, object: 'change_webhook', secretPrefix: 'svc_chg_' },
    actions: {
      ...{ create: 'change_webhook.create', rename: 'change_webhook.rename' },
      ...{ rotate: 'change_webhook.rotate', delete: 'change_webhook.delete' },
    },
    demandUsable,
    readMore: async () => countsOf,
  });
  return {
    ...manager,
    async get({ principal: { tenant } }: Ctx, id: string): Promise<WebhookDetail> {
      await deps.settle();
      const read = await deps.relational.withTenantSql(tenant, async (sql) => ({
        row: await webhookRows.read(sql, id, deps.clock.now()),
        last: await readDeliveries(sql, id, LAST_DELIVERIES),
        rules: await readRules(sql, id),
      }));
      return { webhook: await presentOne(tenant, read.row), last: read.last, rules: read.rules };
    },
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;
