import { z } from 'zod';
import { CHANGE_KINDS, CHANGE_PROVIDERS, CHANGE_STATES, DELIVERY_OUTCOMES, DROP_REASONS } from './kinds.ts';

/** What a delivery comes to between ingest and store: a message of the topic `svc.changes`. Bounded, without a tenant. */

export const DeliveredChange = z.object({
  /** Names the change within its webhook: deliveries of one key are one change. */
  key: z.string().min(1).max(300),
  source: z.string(),
  kind: z.enum(CHANGE_KINDS),
  title: z.string(),
  summary: z.string(),
  /** As it was said; null: the webhook's table decides. */
  target: z.string().nullable(),
  prefix: z.string().nullable(),
  actor: z.string().nullable(),
  ref: z.string().nullable(),
  url: z.string().nullable(),
  attributes: z.record(z.string(), z.string()),
  repository: z.string().nullable(),
  environment: z.string().nullable(),
  paths: z.array(z.string()),
  occurred_at: z.iso.datetime(),
  state: z.enum(CHANGE_STATES).nullable(),
  /** When the state was entered; which of two deliveries is the newer one. */
  state_at: z.iso.datetime().nullable(),
});
export type DeliveredChange = z.infer<typeof DeliveredChange>;

export const ChangeDelivery = z.object({
  webhook: z.string(),
  provider: z.enum(CHANGE_PROVIDERS),
  /** Of the sender with a hash of the body: a repeated one changes nothing. */
  delivery: z.string(),
  /** The sender's word for what it is about; '' for none. */
  event: z.string(),
  received_at: z.iso.datetime(),
  outcome: z.enum(DELIVERY_OUTCOMES),
  dropped: z.array(z.object({ reason: z.enum(DROP_REASONS), count: z.int() })),
  changes: z.array(DeliveredChange),
});
export type ChangeDelivery = z.infer<typeof ChangeDelivery>;
