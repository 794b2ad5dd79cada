import { PROVIDERS, type ProviderKind } from '@svc/contracts/notify/kinds';
import { parseTenantId, secretKey, type TenantId } from '#kernel';

export interface ConfiguredConnector {
  tenant: TenantId;
  provider: ProviderKind;
  /** With the settings that stand in it as parameters. */
  url: string;
  credential: string;
}

/** The last field is the credential, and may hold bars. */
const ENTRY = /^([^|]+)\|([^|]+)\|([^|]*)\|(.*)$/;

function parseEntry(text: string): ConfiguredConnector {
  const [, tenant = '', name = '', url = '', credential = ''] = ENTRY.exec(text) ?? [];
  const provider = PROVIDERS.find((one) => one === name.trim());
  if (tenant === '' || !provider)
    throw new Error(`must be <tenant_id>|<provider>|<url>|<credential>, with one of ${PROVIDERS.join(', ')}`);
  if (url !== '' && !/^(https|smtps?|http):\/\/\S+$/.test(url))
    throw new Error('holds an address that is none: it begins with https://');
  return { tenant: parseTenantId(tenant.trim()), provider, url, credential };
}

/** Commas part entries where a new one begins behind them: addresses and credentials may hold some. */
export function parseConnectors(text: string): readonly ConfiguredConnector[] {
  const parts = text.split(new RegExp(`,(?=\\s*[^|,]+\\|\\s*(?:${PROVIDERS.join('|')})\\s*\\|)`));
  return parts
    .map((part) => part.trim())
    .filter(Boolean)
    .map(parseEntry);
}

export const notifyKeys = {
  connectors: secretKey({
    key: 'SVC_NOTIFY_CONNECTORS',
    parse: parseConnectors,
    doc: 'Who is told of incidents: <tenant_id>|<provider>|<url>|<credential>, comma-separated; provider is pager_a (PagerDuty), pager_b (Opsgenie), chat_a (Slack), chat_b (Microsoft Teams), ticket_a (ServiceNow), ticket_b (Jira), email or webhook. Settings are parameters of the URL. More of them are added in the console.',
  }),
};
