import { z } from 'zod';
import { REJECT_REASONS } from './kinds.ts';

/** Apps that send beacons: `rum.apps.*` and `/v1/rum/apps`. */

/** A word that stands in addresses and as a label of series; `apps` is taken by the address of this list. */
export const AppName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dot, underscore and hyphen; at most 63')
  .refine((name) => name !== 'apps', 'is taken');

/** A host name or `*.` before one; empty: any host. Lower case. */
const Hosts = z.array(z.string().min(1).max(253)).max(50);
/** Beacons a minute of one key; 0: no bound; null: what the installation has (SVC_RUM_RATE_PER_MIN). */
const Rate = z.int().min(0).max(1_000_000).nullable();

export const CreateApp = z.object({ name: AppName, hosts: Hosts.default([]), rate_per_min: Rate.default(null) });
export const UpdateApp = z.object({ id: z.uuid(), hosts: Hosts.optional(), rate_per_min: Rate.optional() });
/** The key that it has now is taken for `overlap_hours` longer, beside the new one; 0: it ends at once. */
export const RotateKey = z.object({ id: z.uuid(), overlap_hours: z.int().min(0).max(2160).default(168) });
export const OfApp = z.object({ id: z.uuid() });

/** Public: it stands in the page's source, names the app, reads nothing. */
export const AppKey = z.object({
  key: z.string(),
  created_at: z.iso.datetime(),
  /** From then on it is refused; null: it is the current one. */
  retires_at: z.iso.datetime().nullable(),
});

export const Refusal = z.object({
  reason: z.enum(REJECT_REASONS),
  at: z.iso.datetime(),
  status: z.int(),
  /** Where it lies at one field, that field's name; such as `user_id` or `vitals.lcp`. */
  field: z.string().nullable(),
  /** In a sentence, with what to do. */
  sentence: z.string(),
});

export const RumApp = z.object({
  id: z.uuid(),
  name: z.string(),
  hosts: z.array(z.string()),
  rate_per_min: z.int().nullable(),
  /** What holds: of the app or of the installation; 0: no bound. */
  effective_rate_per_min: z.int(),
  /** `configuration`: one of SVC_RUM_APPS, which is changed there. */
  source: z.enum(['console', 'configuration']),
  /** The current one first, then those that still overlap. */
  keys: z.array(AppKey),
  created_at: z.iso.datetime(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Two lines of HTML to copy, with the current key. */
  snippet: z.string(),
  first_beacon_at: z.iso.datetime().nullable(),
  last_beacon_at: z.iso.datetime().nullable(),
  /** Of pages whose host is one of `hosts`, since the app was made; null where it has none to know them by. */
  script_fetches: z.object({ count: z.int(), last_at: z.iso.datetime().nullable() }).nullable(),
  last_refusal: Refusal.nullable(),
});
export type RumApp = z.infer<typeof RumApp>;

export const SURFACES = [
  /** Beacons are taken. */
  'open',
  /** SVC_RUM_ENABLED is `false`. */
  'shut',
  /** It opens with the first app. */
  'no_app',
] as const;

export const RumApps = z.object({
  items: z.array(RumApp),
  next_cursor: z.string().nullable(),
  surface: z.enum(SURFACES),
  /** What the surface's state means and what to do; empty where it is open. */
  surface_sentence: z.string(),
  /** What `data-endpoint` names. */
  endpoint: z.url(),
  script: z.object({ url: z.url(), integrity: z.string(), bytes: z.int() }),
});
export type RumApps = z.infer<typeof RumApps>;
