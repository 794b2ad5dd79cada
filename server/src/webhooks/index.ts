/**
 * Webhooks by which other systems tell this server something: their credentials, their signatures, the way in, and what people do with them. A slice
 * has tables of its own (kind.ts) and says what it makes of a verified delivery; nothing here knows what one is about.
 */
export { parseWebhooks } from './config-entries.ts';
export { createIntakeCounts, type IntakeCounts } from './intake-counts.ts';
export type { ConfiguredWebhook, WebhookCredential, WebhookKind } from './kind.ts';
export { createWebhookManager, type ManagerDeps } from './manage.ts';
export { mountReceiver } from './receive.ts';
export { createRefusals, type Refusals } from './refusals.ts';
export { createWebhookRegistry, type WebhookRegistry } from './registry.ts';
export { createWebhookRows, type WebhookRow } from './rows.ts';
export {
  headerOf,
  SIGNATURE_REFUSALS,
  SIGNING_TOKEN,
  TOKEN_REFUSALS,
  verifyHex,
  verifyStandard,
  verifyToken,
} from './signatures.ts';
