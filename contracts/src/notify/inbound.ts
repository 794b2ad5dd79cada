import { z } from 'zod';
import { INBOUND_PROVIDERS } from './kinds.ts';

/** What providers tell us: `POST /ingest/itsm/{provider}/{id}`, `notifyInbound.*` and `/v1/notify/inbound`. */

export const MAX_INBOUND_BYTES = 1024 * 1024;
export const MAX_INBOUND_WEBHOOKS = 50;

/** The portable contract: every system that can send a POST can be made to send this. */
export const PortableNews = z.object({
  external_ref: z.string().max(300),
  status: z.string().max(64),
  /** When it was done there: what is older than our re-opening does nothing. */
  occurred_at: z.iso.datetime({ offset: true }).optional(),
  /** Who did it, as people read it. */
  by: z.string().max(200).optional(),
});

export const INBOUND_REFUSALS = [
  'no_signature',
  'malformed_signature',
  'wrong_signature',
  'wrong_token',
  'wrong_provider',
  'too_large',
  'unavailable',
] as const;
export type InboundRefusal = (typeof INBOUND_REFUSALS)[number];

export const INBOUND_OUTCOMES = [
  /** Not done yet, or it may name what is being opened there just now. */
  'waiting',
  'resolved',
  'acknowledged',
  /** It was so already: a repeat, or the echo of what we said. */
  'nothing_to_do',
  /** Something newer is known of the object, or another object stands for the incident now. */
  'older',
  /** No incident of this tenant. */
  'unknown',
  /** Re-opened or deleted there: nothing happens here. */
  'noted',
  'not_used',
  'not_understood',
] as const;
export type InboundOutcome = (typeof INBOUND_OUTCOMES)[number];
/** What comes of news of an object. */
export type NewsOutcome = Exclude<InboundOutcome, 'not_used' | 'not_understood'>;

const Name = z.string().trim().min(1).max(200);
const Secret = z
  .string()
  .min(16)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces');

export const OfInbound = z.object({ id: z.string().min(1).max(64) });
export const CreateInbound = z.object({
  provider: z.enum(INBOUND_PROVIDERS),
  name: Name,
  /** The connector whose provider calls; left out: any of that provider. */
  connector: z.string().min(1).max(64).optional(),
  /** One that the provider made (PagerDuty shows its own); left out: one is made. */
  secret: Secret.optional(),
});
export const RenameInbound = OfInbound.extend({ name: Name });
export const RotateInbound = OfInbound.extend({ overlap_hours: z.int().min(0).max(168).default(24), secret: Secret.optional() });

export const InboundWebhook = z.object({
  id: z.string(),
  provider: z.enum(INBOUND_PROVIDERS),
  name: z.string(),
  source: z.enum(['console', 'configuration']),
  connector: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Where deliveries are sent to; the id in it is no secret. */
  address: z.string(),
  created_at: z.iso.datetime(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  rotated_at: z.iso.datetime().nullable(),
  overlap_until: z.iso.datetime().nullable(),
  last_delivery_at: z.iso.datetime().nullable(),
  deliveries: z.int(),
  /** Of the last 30 days, the newest first. */
  refusals: z.array(z.object({ reason: z.enum(INBOUND_REFUSALS), count: z.int(), last_at: z.iso.datetime() })),
});
export type InboundWebhook = z.infer<typeof InboundWebhook>;
export const InboundList = z.object({ items: z.array(InboundWebhook) });
export const InboundSecret = z.object({ webhook: InboundWebhook, secret: z.string() });

export const InboundDelivery = z.object({
  id: z.uuid(),
  received_at: z.iso.datetime(),
  event: z.string(),
  /** What it names: our key, or the provider's id. */
  references: z.array(z.string()),
  outcome: z.enum(INBOUND_OUTCOMES),
  reason: z.string(),
  incident_id: z.uuid().nullable(),
});
export type InboundDelivery = z.infer<typeof InboundDelivery>;

export const InboundDetail = z.object({
  webhook: InboundWebhook,
  /** The last 50, the newest first. */
  last: z.array(InboundDelivery),
});
