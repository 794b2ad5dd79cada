/** Providers of connectors: the specification's six, e-mail, and a signed webhook of the tenant's own. */
export const PROVIDERS = ['pager_a', 'pager_b', 'chat_a', 'chat_b', 'ticket_a', 'ticket_b', 'email', 'webhook'] as const;
export type ProviderKind = (typeof PROVIDERS)[number];

/** Those that can tell us something (`POST /ingest/itsm/{provider}/{id}`): chats have no way back. */
export const INBOUND_PROVIDERS = ['pager_a', 'pager_b', 'ticket_a', 'ticket_b'] as const;
export type InboundProvider = (typeof INBOUND_PROVIDERS)[number];

/** What is done at a provider about one incident. */
export const VERBS = ['open', 'update', 'acknowledge', 'resolve', 'reopen'] as const;
export type Verb = (typeof VERBS)[number];
