import type { TenantId } from '#kernel';

/** What tells the webhooks of one slice from those of another. */
export interface WebhookKind<Provider extends string> {
  providers: readonly Provider[];
  /** The slice's own tables, which have the same columns: of webhooks, and of what was refused of each by day and reason. */
  tables: { webhooks: string; refusals: string };
  /** Of the function `directory_<name>` that gives their sealed secrets. */
  directory: string;
  /** On which a trigger tells at commit that one has changed; its payload says nothing. */
  channel: string;
  /** Before tenant and id: a sealed secret opens for its own webhook alone. */
  sealedAs: string;
  /** Before the tenant: changes of one tenant's webhooks take turns. */
  lockedAs: string;
  /** `SVC_...`, where the operator names some. */
  configKey: string;
  /** As logs and refusals call one and many of them. */
  words: { one: string; many: string };
  /** Of a tenant, beside those of the configuration. */
  most: number;
}

export interface ConfiguredWebhook<Provider extends string> {
  id: string;
  tenant: TenantId;
  provider: Provider;
  secret: string;
}

export interface WebhookCredential<Provider extends string> {
  id: string;
  tenant: TenantId;
  provider: Provider;
  /** The current one first, then that before it while both are taken. */
  secrets: readonly { value: string; untilMs: number | null }[];
}

export const sealContextOf = ({ sealedAs }: Pick<WebhookKind<string>, 'sealedAs'>, tenant: string, id: string): string =>
  `${sealedAs}/${tenant}/${id}`;
