import { z } from 'zod';
import { FAULT_KINDS } from '../fault-kinds.ts';
import { CoverageSchema, FaultFactSchema } from '../judged/fault-schema.ts';
import { HEALTHS } from '../judged/healths.ts';
import { JudgedMeasureSchema } from '../judged/measure-schema.ts';
import { AdviceSchema } from '../judged/schemas.ts';
import { AGENT_STATES, CAUSES, DISCLOSURE_STATES, LAYERS, MISSING_PERMISSIONS } from '../verdict.ts';

/** What the console and SREs see of endpoints: input and output of the `endpoint.*` and `fleet.*` procedures. */

/** The verdict column: a cause where one was computed lately, else the state that explains why there is none. */
export const VERDICTS = [
  ...CAUSES,
  'paused',
  'no_contact',
  'needs_permission',
  'declined',
  'update_required',
  'pending',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export const SORT_COLUMNS = [
  'name',
  'owner',
  'site',
  'verdict',
  'verdict_since',
  'wifi_rssi_dbm',
  'wifi_signal_percent',
  'gateway_rtt_ms',
  'gateway_loss_ratio',
  'isp_rtt_ms',
  'isp_loss_ratio',
  'worst_session_ms',
  'os',
  'agent_version',
  'last_contact_at',
] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];

const list = <T extends z.ZodType>(item: T) => z.array(item).max(50);

/** Filters of the fleet; all given ones must hold. They stand in the console's URL by these names. */
export const FleetFilter = z.object({
  /** Part of the name, the owner, the site, the gateway's address or the agent id; case-insensitive. */
  search: z.string().max(200).optional(),
  verdict: list(z.enum(VERDICTS)).optional(),
  /** How well devices are that have a verdict now: healthy, measuring (only just begun), partial (not all was measured), off (something is, nothing is slow), slow. */
  health: list(z.enum(HEALTHS)).optional(),
  /** Kinds of fault within a cause, of devices that have a verdict now. */
  fault: list(z.enum(FAULT_KINDS)).optional(),
  site: list(z.string().max(128)).optional(),
  os: list(z.string().max(64)).optional(),
  agent_version: list(z.string().max(64)).optional(),
  ring: list(z.enum(['canary', 'early', 'main'])).optional(),
  connection: list(z.enum(['wifi', 'wired', 'cellular', 'unknown'])).optional(),
  face: list(z.enum(['window', 'headless'])).optional(),
  /** Devices whose system withholds one of these. */
  missing_permission: list(z.enum(MISSING_PERMISSIONS)).optional(),
  gateway: z.string().max(64).optional(),
  /** Last contact within this many minutes. */
  contact_within_minutes: z.int().positive().optional(),
  /** No contact for this many minutes or more; one that never was in contact is silent all that time. */
  silent_for_minutes: z.int().positive().max(10_000_000).optional(),
  /** dBm, at or below. */
  wifi_rssi_below: z.number().optional(),
  /** Milliseconds, this or more; so are the next two. */
  gateway_rtt_above: z.number().optional(),
  isp_rtt_above: z.number().optional(),
  session_above_ms: z.number().optional(),
});
export type FleetFilter = z.infer<typeof FleetFilter>;

export const FleetSort = z.array(z.object({ column: z.enum(SORT_COLUMNS), desc: z.boolean() })).max(4);
export type FleetSort = z.infer<typeof FleetSort>;

/** A number that was measured, or why it was not: a code of UNAVAILABLE_CODES, or null where nothing is known yet. */
export const Reading = z.object({ value: z.number().nullable(), unavailable: z.string().nullable() });
export type Reading = z.infer<typeof Reading>;

/** Of the newest session to each chosen target: how many failed, and where the newest of them did. */
export const SessionFailures = z.object({
  failed: z.int(),
  of: z.int(),
  target: z.string(),
  /** dns, connect, proxy, tls, request, body or redirect; null for a device that does not say. */
  phase: z.string().nullable(),
});
export type SessionFailures = z.infer<typeof SessionFailures>;

/** One hour of the strip: the cause that ruled it, or why there is none. Oldest first. */
export const StripHour = z.enum([...CAUSES, 'paused', 'declined', 'not_measured']);
export type StripHour = z.infer<typeof StripHour>;

/** Slow, then no verdict, then healthy: how the verdict column sorts. */
export const EndpointRow = z.object({
  id: z.uuid(),
  name: z.string().nullable(),
  owner: z.string().nullable(),
  site: z.string().nullable(),
  verdict: z.enum(VERDICTS),
  /** What the verdict was made from, each with its limit and counts; null where the verdict is a state. Sentences are made of these. */
  judged: z.array(JudgedMeasureSchema).nullable(),
  /** What is wrong within the cause; with `none` what is off though nothing is slow. Null where nothing is, or the agent does not say. */
  fault: FaultFactSchema.nullable(),
  /** What is wrong beside it, with something else; absent where nothing is. */
  also: FaultFactSchema.nullable().optional(),
  /** Layers that were measured, of those that the device has; null where the agent does not say. Healthy is who has measured all. */
  coverage: CoverageSchema.nullable(),
  /** How often the cause changed in the hour before. */
  flips: z.int(),
  /** The same as one English sentence; its clock times are UTC and say so. */
  summary: z.string().nullable(),
  confidence: z.number().nullable(),
  verdict_since: z.iso.datetime().nullable(),
  paused_until: z.iso.datetime().nullable(),
  strip_24h: z.array(StripHour),
  connection: z.enum(['wifi', 'wired', 'cellular', 'unknown']),
  wifi_rssi_dbm: Reading,
  wifi_signal_percent: Reading,
  gateway_rtt_ms: Reading,
  gateway_loss_ratio: Reading,
  isp_rtt_ms: Reading,
  isp_loss_ratio: Reading,
  /** The slowest of the newest sessions that succeeded; one that failed is no fast one. */
  worst_session_ms: Reading,
  worst_session_target: z.string().nullable(),
  /** Null where none failed. */
  session_failures: SessionFailures.nullable(),
  gateway_address: z.string().nullable(),
  os: z.string().nullable(),
  os_version: z.string().nullable(),
  agent_version: z.string().nullable(),
  outdated: z.boolean(),
  ring: z.enum(['canary', 'early', 'main']),
  state: z.enum(AGENT_STATES),
  /** Whether anything on the device shows what is measured; null: an agent that does not say. */
  face: z.enum(['window', 'headless']).nullable(),
  missing_permissions: z.array(z.enum(MISSING_PERMISSIONS)),
  /** How far the person there got with what is collected; null: an agent that does not say. */
  disclosure: z.enum(DISCLOSURE_STATES).nullable(),
  simulated: z.boolean(),
  enrolled_at: z.iso.datetime(),
  last_contact_at: z.iso.datetime().nullable(),
});
export type EndpointRow = z.infer<typeof EndpointRow>;

export const EndpointPage = z.object({
  items: z.array(EndpointRow),
  /** Rows that match the filter, and rows without one. */
  matched: z.int(),
  total: z.int(),
  /** False: the consumer is not wired, which is not the same as an empty fleet. */
  collector_running: z.boolean(),
  computed_at: z.iso.datetime(),
});
export type EndpointPage = z.infer<typeof EndpointPage>;

/** n of m devices behind the same gateway or on the same site are slow for one cause (from three devices on). */
export const SharedCause = z.object({
  cause: z.enum(CAUSES),
  site: z.string().nullable(),
  gateway: z.string().nullable(),
  affected: z.int(),
  of: z.int(),
  since: z.iso.datetime().nullable(),
  sentence: z.string(),
});

export const FleetSummary = z.object({
  total: z.int(),
  counts: z.array(z.object({ verdict: z.enum(VERDICTS), count: z.int() })),
  /** Of the devices with a verdict now: healthy ones apart from those of which not all was measured, and from those where something is off. */
  healths: z.array(z.object({ health: z.enum(HEALTHS), count: z.int() })),
  /** Kinds of fault that devices have now, the most frequent first. */
  faults: z.array(z.object({ fault: z.enum(FAULT_KINDS), count: z.int() })),
  /** Slow devices in each of the last 24 hours, oldest first. */
  slow_by_hour: z.array(z.int()),
  shared: z.array(SharedCause),
  sites: z.array(z.string()),
  os: z.array(z.string()),
  agent_versions: z.array(z.string()),
  collector_running: z.boolean(),
  simulated: z.boolean(),
  computed_at: z.iso.datetime(),
});
export type FleetSummary = z.infer<typeof FleetSummary>;

export const LayerScore = z.object({
  layer: z.enum(['wifi', 'local', 'isp', 'network']),
  score: z.number().nullable(),
  unavailable: z.string().nullable(),
  /** The layer at fault in front of this one: the walk ended there, so this one was not judged and has no score. */
  behind: z.enum(LAYERS).nullable(),
});

export const VerdictSpan = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  verdict: StripHour,
});

export const Hop = z.object({
  hop: z.int(),
  segment: z.enum(['local', 'isp-edge', 'beyond']).nullable(),
  address: z.string().nullable(),
  /** withheld, or null for a hop that did not answer. */
  unavailable: z.string().nullable(),
  rtt_ms: z.number().nullable(),
  loss_ratio: z.number().nullable(),
});

export const PathView = z.object({
  target: z.string(),
  measured_at: z.iso.datetime(),
  protocol: z.string().nullable(),
  reached: z.boolean(),
  packets_sent: z.number().nullable(),
  hops: z.array(Hop),
});

/** Sessions to one target in the window shown; times are of those that succeeded, milliseconds. */
export const SessionWindow = z.object({
  count: z.int(),
  failed: z.int(),
  /** Where they failed, most often first; null for those that do not say. */
  phases: z.array(z.object({ phase: z.string().nullable(), count: z.int() })),
  median_ms: z.number().nullable(),
  worst_ms: z.number().nullable(),
});
export type SessionWindow = z.infer<typeof SessionWindow>;

/** The last session to a target in the window, and all of them together. */
export const SessionView = z.object({
  /** Host, port unless 80 or 443, path unless the root: two URLs of one host are two sessions. */
  target: z.string(),
  role: z.string().nullable(),
  measured_at: z.iso.datetime(),
  success: z.boolean(),
  error: z.string().nullable(),
  error_phase: z.string().nullable(),
  status: z.string().nullable(),
  dns_ms: z.number().nullable(),
  connect_ms: z.number().nullable(),
  tls_ms: z.number().nullable(),
  ttfb_ms: z.number().nullable(),
  /** What the phases above leave of the total (contracts, session-phases). */
  other_ms: z.number().nullable(),
  total_ms: z.number().nullable(),
  redirects: z.number().nullable(),
  window: SessionWindow,
  /** Median total of those that succeeded in the span `usual` of the view; null where they were too few. */
  usual_ms: z.number().nullable(),
  usual_count: z.int(),
});

/** Something the page does not show, and why. */
export const NotShown = z.object({ field: z.string(), code: z.string() });

/** A device as of the end of a window: what was measured last within it. */
export const DeviceView = z.object({
  /** `is_now`: it reaches up to now; its row is then the fleet's, else it is what was judged and read last in the window. */
  window: z.object({ from: z.iso.datetime(), to: z.iso.datetime(), is_now: z.boolean() }),
  /** What `usual_ms` of the sessions is made of: the days before the window, and how many sessions it takes at least. */
  usual: z.object({ from: z.iso.datetime(), to: z.iso.datetime(), least: z.int() }),
  endpoint: EndpointRow,
  layers: z.array(LayerScore),
  /** When the scores were computed, by the device's clock; null where nothing was judged in the window. */
  layers_at: z.iso.datetime().nullable(),
  /** The one thing to try, doable by the reader, or null when nothing is slow. */
  advice: AdviceSchema.nullable(),
  /** The same in English; it has no clock times. */
  suggestion: z.string().nullable(),
  paths: z.array(PathView),
  sessions: z.array(SessionView),
  not_shown: z.array(NotShown),
  /** CPU of one core, resident bytes, bytes sent in the last day. */
  cost: z.object({ cpu_ratio: z.number().nullable(), rss_bytes: z.number().nullable(), sent_bytes_day: z.number().nullable() }),
  verdicts: z.array(VerdictSpan),
});
export type DeviceView = z.infer<typeof DeviceView>;

/** Charts of one device over a window: parallel arrays; a gap is a missing bucket, never a zero. */
export const DeviceSeries = z.object({
  step_ms: z.int(),
  series: z.array(
    z.object({
      metric: z.string(),
      labels: z.record(z.string(), z.string()),
      ts: z.array(z.number()),
      avg: z.array(z.number()),
      min: z.array(z.number()),
      max: z.array(z.number()),
    }),
  ),
});
export type DeviceSeries = z.infer<typeof DeviceSeries>;
