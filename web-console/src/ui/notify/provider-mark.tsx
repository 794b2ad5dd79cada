import type { ProviderKind } from '@svc/contracts/notify/kinds';

/** As people know them; the server says the same of each connector. */
export const PROVIDER_NAMES: Readonly<Record<ProviderKind, string>> = {
  pager_a: 'PagerDuty',
  pager_b: 'Opsgenie',
  chat_a: 'Slack',
  chat_b: 'Microsoft Teams',
  ticket_a: 'ServiceNow',
  ticket_b: 'Jira',
  email: 'E-mail',
  webhook: 'Signed webhook',
};

const BELL = 'M4 11V7a4 4 0 0 1 8 0v4l1.2 1.6H2.8zM6.7 14.2h2.6';
const CHAT = 'M2.5 3.5h11v7.5H8L5 13.5V11H2.5z';
const TICKET = 'M2 4.5h12v2.3a1.3 1.3 0 0 0 0 2.4v2.3H2V9.2a1.3 1.3 0 0 0 0-2.4zM9.5 4.5v7';
const PATHS: Readonly<Record<ProviderKind, string>> = {
  pager_a: BELL,
  pager_b: BELL,
  chat_a: CHAT,
  chat_b: CHAT,
  ticket_a: TICKET,
  ticket_b: TICKET,
  email: 'M2 3.5h12v9H2zM2.4 4 8 8.6 13.6 4',
  webhook: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
};

/** What kind of place a provider is: pager, chat, ticket, mail or a program. Its name always stands beside it. */
export function ProviderMark({ provider, size = 16 }: { provider: ProviderKind; size?: number }) {
  return (
    <svg className="ic" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[provider]} />
    </svg>
  );
}
