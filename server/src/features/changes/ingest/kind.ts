import { MAX_WEBHOOKS } from '@svc/contracts/changes/bounds';
import { CHANGE_PROVIDERS, type ChangeProvider } from '@svc/contracts/changes/kinds';
import type { WebhookKind, WebhookRegistry } from '#webhooks';

/** Webhooks of changes, as #webhooks knows them. */
export const CHANGE_WEBHOOKS: WebhookKind<ChangeProvider> = {
  providers: CHANGE_PROVIDERS,
  tables: { webhooks: 'change_webhooks', refusals: 'change_refusals' },
  directory: 'change_webhooks',
  // The trigger of 0100_changes sends it.
  channel: 'svc_change_webhooks',
  ...{ sealedAs: 'change-webhook', lockedAs: 'change-webhooks', configKey: 'SVC_CHANGE_WEBHOOKS' },
  words: { one: 'a webhook of changes', many: 'webhooks of changes' },
  most: MAX_WEBHOOKS,
};
export const CHANGES_PATH = '/ingest/changes';

export type ChangeRegistry = WebhookRegistry<ChangeProvider, object>;
