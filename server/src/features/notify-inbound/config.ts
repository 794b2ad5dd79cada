import { INBOUND_PROVIDERS } from '@svc/contracts/notify/kinds';
import { secretKey } from '#kernel';
import { parseWebhooks } from '#webhooks';

export const notifyInboundKeys = {
  webhooks: secretKey({
    key: 'SVC_NOTIFY_INBOUND',
    parse: parseWebhooks(INBOUND_PROVIDERS),
    doc: 'Webhooks by which paging and ticket systems tell what was acknowledged or resolved there: <id>:<tenant_id>:<provider>:<secret>, comma-separated; provider is pager_a, pager_b, ticket_a or ticket_b. More of them are created in the console.',
  }),
};
