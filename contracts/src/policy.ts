import { z } from 'zod';
import { DEFAULT_THRESHOLDS } from './verdict.ts';

const host = z.string().min(1).max(253);
/** As long as a proxy may be asked about (agent/ipc.ts). */
export const MAX_SESSION_URL = 2048;

export const ThresholdsSchema = z.strictObject({
  wifiRssiDbm: z.number().min(-100).max(0).default(DEFAULT_THRESHOLDS.wifiRssiDbm),
  wifiSignalPercent: z.number().min(0).max(100).default(DEFAULT_THRESHOLDS.wifiSignalPercent),
  wifiSnrDb: z.number().min(0).max(60).default(DEFAULT_THRESHOLDS.wifiSnrDb),
  gatewayRttMs: z.number().positive().default(DEFAULT_THRESHOLDS.gatewayRttMs),
  gatewayLoss: z.number().min(0).max(1).default(DEFAULT_THRESHOLDS.gatewayLoss),
  ispRttMs: z.number().positive().default(DEFAULT_THRESHOLDS.ispRttMs),
  ispLoss: z.number().min(0).max(1).default(DEFAULT_THRESHOLDS.ispLoss),
  sessionTotalMs: z.number().positive().default(DEFAULT_THRESHOLDS.sessionTotalMs),
});

/** What identifiers an agent may send. The effective value is the strictest of the device's own and the tenant's. */
export const CollectSchema = z.strictObject({
  ssid: z.boolean().default(true),
  gatewayIp: z.boolean().default(true),
  deviceName: z.boolean().default(true),
  hostFacts: z.boolean().default(true),
  publicHops: z.boolean().default(false),
});
export type Collect = z.infer<typeof CollectSchema>;

/**
 * A tenant's measuring policy, versioned, sent to agents over the Fleet service. Targets are what somebody chose:
 * nothing outside is contacted by default. Intervals in seconds; at most 32 session targets (docs/contract/tenants-and-agents.md).
 */
export const Policy = z.strictObject({
  version: z.int().nonnegative().default(0),
  traceTargets: z.array(host).max(8).default([]),
  sessionTargets: z
    .array(z.url({ protocol: /^https?$/ }).max(MAX_SESSION_URL))
    .max(32)
    .default([]),
  wifiIntervalSeconds: z.number().min(1).max(3600).default(60),
  gatewayIntervalSeconds: z.number().min(1).max(3600).default(60),
  pathIntervalSeconds: z.number().min(5).max(86_400).default(300),
  sessionIntervalSeconds: z.number().min(5).max(86_400).default(300),
  collect: CollectSchema.default(() => CollectSchema.parse({})),
  thresholds: ThresholdsSchema.default(() => ThresholdsSchema.parse({})),
  /** The longest that a person may pause the device, minutes; at most a week. A pause is never refused altogether. */
  maxPauseMinutes: z.int().min(15).max(10_080).default(1440),
  /** True: nothing is measured until the person at the device accepted what is collected. */
  mustAccept: z.boolean().default(false),
  /** True: a slow device is told how many others at its site are slow for the same cause, never which, and never of fewer than three. */
  tellShared: z.boolean().default(false),
});
export type Policy = z.infer<typeof Policy>;

const dropLong = (urls: unknown): unknown =>
  Array.isArray(urls) ? urls.filter((url) => typeof url !== 'string' || url.length <= MAX_SESSION_URL) : urls;

/** A policy from the database: one from before the bound of a session target goes on without those that break it. */
export const policyAsKept = (kept: object): Policy =>
  Policy.parse('sessionTargets' in kept ? { ...kept, sessionTargets: dropLong(kept.sessionTargets) } : kept);

/**
 * The same for an agent that reads what its server sent: keys that a newer server knows are passed over instead of refusing the
 * whole policy.
 */
export const PolicyFromServer = z.object({
  ...Policy.shape,
  // An older server has no bound for one.
  sessionTargets: z.preprocess(dropLong, Policy.shape.sessionTargets).default([]),
  collect: z.object(CollectSchema.shape).default(() => CollectSchema.parse({})),
  thresholds: z.object(ThresholdsSchema.shape).default(() => ThresholdsSchema.parse({})),
});
