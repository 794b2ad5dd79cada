import { parseList, parseTenantId } from '#kernel';
import type { ConfiguredWebhook } from './kind.ts';

const ENTRY = /^([A-Za-z0-9_-]{1,64}):([^:]+):([^:]+):([\x21-\x7e]{1,500})$/;

/** `<id>:<tenant_id>:<provider>:<secret>`, comma-separated. The secret is the last field and may hold colons. */
export const parseWebhooks = <Provider extends string>(providers: readonly Provider[]) => {
  const parseEntry = (text: string): ConfiguredWebhook<Provider> => {
    const [, id = '', tenant = '', name = '', secret = ''] = ENTRY.exec(text) ?? [];
    const provider = providers.find((one) => one === name);
    if (id === '' || !provider)
      throw new Error(`must be <id>:<tenant_id>:<provider>:<secret>, with one of ${providers.join(', ')}`);
    return { id, tenant: parseTenantId(tenant), provider, secret };
  };
  return (text: string): readonly ConfiguredWebhook<Provider>[] => {
    const webhooks = parseList(parseEntry)(text);
    if (new Set(webhooks.map(({ id }) => id)).size < webhooks.length) throw new Error('names one id twice');
    return webhooks;
  };
};
