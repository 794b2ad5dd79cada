import { type InboundRefusal, MAX_INBOUND_WEBHOOKS } from '@svc/contracts/notify/inbound';
import { INBOUND_PROVIDERS, type InboundProvider } from '@svc/contracts/notify/kinds';
import type { WebhookCredential, WebhookKind, WebhookRegistry, WebhookRow } from '#webhooks';

/** Inbound webhooks of paging and ticket systems, as #webhooks knows them. */
export const INBOUND_WEBHOOKS: WebhookKind<InboundProvider> = {
  providers: INBOUND_PROVIDERS,
  tables: { webhooks: 'notify_inbound_webhooks', refusals: 'notify_inbound_refusals' },
  directory: 'notify_inbound',
  // The trigger of 0118_notifications_inbound sends it.
  channel: 'svc_notify_inbound',
  ...{ sealedAs: 'notify-inbound', lockedAs: 'notify-inbound', configKey: 'SVC_NOTIFY_INBOUND' },
  words: { one: 'an inbound webhook', many: 'inbound webhooks' },
  most: MAX_INBOUND_WEBHOOKS,
};
export const INBOUND_PATH = '/ingest/itsm';

/** Whose provider calls; null: any of that provider. */
interface OfConnector {
  connector: string | null;
}

export const connectorOf = (row: Readonly<Record<string, unknown>> | undefined): OfConnector => ({
  connector: typeof row?.connector_id === 'string' ? row.connector_id : null,
});

export type InboundCredential = WebhookCredential<InboundProvider> & OfConnector;
export type InboundRegistry = WebhookRegistry<InboundProvider, OfConnector>;
export interface InboundRow extends WebhookRow<InboundProvider, InboundRefusal> {
  connector_id: string | null;
}
