import { z } from 'zod';
import { MAX_RULES } from './bounds.ts';
import { CHANGE_PROVIDERS, DELIVERY_OUTCOMES, DROP_REASONS, REFUSAL_REASONS } from './kinds.ts';

/** Webhooks of changes: `changes.webhooks.*` and `/v1/change-webhooks`. Secrets are in one answer each and nowhere else. */

const Name = z.string().trim().min(1).max(200);
export const OfWebhook = z.object({ id: z.string().min(1).max(64) });

/** A secret that another program made, such as the signing token of GitLab; left out: one is made. */
const Secret = z
  .string()
  .min(16)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces');

export const CreateWebhook = z.object({ provider: z.enum(CHANGE_PROVIDERS), name: Name, secret: Secret.optional() });
export const RenameWebhook = OfWebhook.extend({ name: Name });
/** The secret that it has now is taken for `overlap_hours` longer. */
export const RotateWebhook = OfWebhook.extend({
  overlap_hours: z.int().min(0).max(168).default(24),
  secret: Secret.optional(),
});

export const Refusal = z.object({ reason: z.enum(REFUSAL_REASONS), count: z.int(), last_at: z.iso.datetime() });

export const Webhook = z.object({
  id: z.string(),
  provider: z.enum(CHANGE_PROVIDERS),
  name: z.string(),
  /** `configuration`: one of SVC_CHANGE_WEBHOOKS, which is changed there. */
  source: z.enum(['console', 'configuration']),
  /** Where deliveries are sent to; the id in it is no secret. */
  address: z.string(),
  created_at: z.iso.datetime(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  rotated_at: z.iso.datetime().nullable(),
  /** Until then the secret before this one is taken as well. */
  overlap_until: z.iso.datetime().nullable(),
  /** Verified ones; null: waiting for the first. */
  last_delivery_at: z.iso.datetime().nullable(),
  deliveries: z.int(),
  events_stored: z.int(),
  /** Of its changes, those without target and prefix. */
  without_target: z.int(),
  /** Of the last 30 days, the newest first. */
  refusals: z.array(Refusal),
});
export type Webhook = z.infer<typeof Webhook>;

export const WebhookList = z.object({ items: z.array(Webhook) });
export const WebhookSecret = z.object({ webhook: Webhook, secret: z.string() });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const WebhookDelivery = z.object({
  /** A hash of its body: the same bytes are the same delivery, whatever id they were sent under. */
  id: z.string(),
  received_at: z.iso.datetime(),
  event: z.string(),
  outcome: z.enum(DELIVERY_OUTCOMES),
  events: z.int(),
  dropped: z.array(z.object({ reason: z.enum(DROP_REASONS), count: z.int() })),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** Where a change happens that names no target: the first row that fits says so. Empty: any. `*` stands for any text. */
export const TargetRule = z
  .object({
    repository: z.string().trim().max(200).default(''),
    environment: z.string().trim().max(200).default(''),
    /** Begins the path of a file of a push, such as `deploy/shop/`. */
    path: z.string().trim().max(500).default(''),
    target: z.string().trim().min(1).max(253).nullable(),
    prefix: z.string().trim().min(1).max(64).nullable(),
  })
  .refine(({ target, prefix }) => target !== null || prefix !== null, 'A row names a target or a prefix.');
export type TargetRule = z.infer<typeof TargetRule>;

export const WebhookDetail = z.object({
  webhook: Webhook,
  /** The last 50, the newest first. */
  last: z.array(WebhookDelivery),
  rules: z.array(TargetRule),
});
export type WebhookDetail = z.infer<typeof WebhookDetail>;

export const SetTargets = OfWebhook.extend({
  rules: z.array(TargetRule).max(MAX_RULES),
  /** Also to changes of the last 30 days that named no target themselves. */
  apply_to_recent: z.boolean().default(true),
});
export const PreviewTargets = OfWebhook.extend({ rules: z.array(TargetRule).max(MAX_RULES) });

/** What rows would do to the last changes of the webhook that named no target themselves. */
export const TargetPreview = z.object({
  looked_at: z.int(),
  matched: z.int(),
  /** Changes that each row decides, in their order. */
  by_rule: z.array(z.int()),
  sample: z.array(
    z.object({
      number: z.int(),
      title: z.string(),
      repository: z.string().nullable(),
      environment: z.string().nullable(),
      target: z.string().nullable(),
      prefix: z.string().nullable(),
    }),
  ),
});
