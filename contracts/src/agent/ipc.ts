import { z } from 'zod';
import { CoverageSchema, FaultFactSchema } from '../judged/fault-schema.ts';
import { JudgedMeasureSchema } from '../judged/measure-schema.ts';
import { AGENT_STATES, CAUSES, DISCLOSURE_STATES, LAYERS, MISSING_PERMISSIONS, UNAVAILABLE_CODES } from '../verdict.ts';
import { DeepTestView } from './deep-test.ts';

/**
 * Between the agent's service and its faces (window, tray, command line), over a local socket or the port of a utility process: lines
 * of JSON. A face sends `{id, call, input}`; the service answers `{id, output}` or `{id, fault}` and sends `{event, value}` to faces
 * that watch. Both ends parse what they receive with these schemas; unknown calls and larger frames end the connection.
 * Times are Unix milliseconds, ratios 0 to 1, scores 0 to 100 with high good. Sentences are never sent: faces have catalogues.
 */
export const IPC_PROTOCOL = 3;
/** One line at most, bytes. */
export const IPC_MAX_FRAME = 1024 * 1024;
export const IPC_MAX_CLIENTS = 8;

const ms = z.number().nonnegative();
const word = z.string().max(256);
const unavailable = z.enum(UNAVAILABLE_CODES);

export const LayerView = z.strictObject({
  layer: z.enum(LAYERS),
  score: z.number().min(0).max(100).nullable(),
  unavailable: unavailable.nullable(),
});
export type LayerView = z.infer<typeof LayerView>;

export const VerdictView = z.strictObject({
  atMs: ms,
  cause: z.enum(CAUSES),
  /** What is wrong within the cause; with `none` what is off though nothing is slow. */
  fault: FaultFactSchema.nullable(),
  /** What is wrong beside it, with something else. */
  also: FaultFactSchema.nullable().optional(),
  /** The measure that decided, with its counts; null for `none`. */
  decided: JudgedMeasureSchema.nullable(),
  coverage: CoverageSchema,
  /** How often the cause changed in the last hour. */
  flips: z.int().nonnegative(),
  confidence: z.number().min(0).max(1),
  sinceMs: ms,
  layers: z.array(LayerView).length(LAYERS.length),
});
export type VerdictView = z.infer<typeof VerdictView>;

/** A number that was measured, or why it was not; both null: nothing is known yet. */
export const Measured = z.strictObject({ value: z.number().nullable(), unavailable: unavailable.nullable() });
export type Measured = z.infer<typeof Measured>;

export const HopView = z.strictObject({
  hop: z.int().min(1).max(64),
  segment: z.enum(['local', 'isp-edge', 'beyond']).nullable(),
  /** As this device saw it: its owner may know; what leaves is in the ledger. */
  address: word.nullable(),
  /** False: its address stays on this device. */
  shared: z.boolean(),
  rttMs: ms.nullable(),
  lossRatio: z.number().min(0).max(1).nullable(),
});
export type HopView = z.infer<typeof HopView>;
export const PathView = z.strictObject({ target: word, atMs: ms, reached: z.boolean(), hops: z.array(HopView).max(64) });
export type PathView = z.infer<typeof PathView>;

export const SessionView = z.strictObject({
  target: word,
  role: z.enum(['target', 'control_plane']),
  atMs: ms,
  success: z.boolean(),
  /** Phase and short code of a failure. */
  error: word.nullable(),
  totalMs: ms.nullable(),
  /** Median of what this device kept of it, null before there are three. */
  /** Median of the newest times of this target that this device kept, on whatever network; null of fewer than three. */
  typicalMs: ms.nullable(),
});
export type SessionView = z.infer<typeof SessionView>;

/** One hour of the strip, oldest first; `asleep` where the service did not run. */
export const STRIP_STATES = [...CAUSES, 'paused', 'declined', 'asleep'] as const;
export const StripHour = z.enum(STRIP_STATES);
export type StripHour = z.infer<typeof StripHour>;

/** What the system says around a measurement; null: it does not say. */
export const ContextView = z.strictObject({
  onBattery: z.boolean().nullable(),
  metered: z.boolean().nullable(),
  vpn: z.boolean().nullable(),
  captivePortal: z.boolean().nullable(),
  resumed: z.boolean(),
});
export type ContextView = z.infer<typeof ContextView>;

export const LINK_PROBLEMS = [
  'network',
  'overloaded',
  'upgrade_required',
  'unauthorized',
  'forbidden',
  'unknown_agent',
  'untrusted',
] as const;

export const TestView = z.strictObject({
  running: z.boolean(),
  startedMs: ms,
  /** When it ends at the latest. */
  endsMs: ms,
  /** Parts done so far. */
  done: z.array(z.enum(['wifi', 'route', 'sessions', 'resolvers', 'verdict'])),
  failed: z.boolean(),
});
export type TestView = z.infer<typeof TestView>;

/** Everything a face shows on its first page, in one piece; sent again on each change, at most four times a second. */
export const ServiceState = z.strictObject({
  state: z.enum(AGENT_STATES),
  /** Null: not enrolled. */
  server: word.nullable(),
  /** Name of the organisation as its control plane gives it; null where it gives none. */
  organisation: word.nullable(),
  connected: z.boolean(),
  problem: z.enum(LINK_PROBLEMS).nullable(),
  /** When the connection was lost, or null. */
  offlineSinceMs: ms.nullable(),
  waiting: z.int().nonnegative(),
  dropped: z.int().nonnegative(),
  pausedUntilMs: ms.nullable(),
  /** The longest pause that policy allows, minutes. */
  maxPauseMinutes: z.int().positive(),
  /** Shown once, and accepted where policy asks for it. */
  disclosure: z.enum(DISCLOSURE_STATES),
  mustAccept: z.boolean(),
  /** What the system refuses to tell until it is permitted. */
  missingPermissions: z.array(z.enum(MISSING_PERMISSIONS)),
  verdict: VerdictView.nullable(),
  /** Other devices of this place that are slow for the same cause, as the control plane told it; absent: told nothing. */
  shared: z.strictObject({ others: z.int().positive(), sinceMs: ms.nullable() }).optional(),
  wifi: z.strictObject({ rssiDbm: Measured, signalPercent: Measured, ssid: word.nullable() }),
  gateway: z.strictObject({ rttMs: Measured, lossRatio: Measured }),
  paths: z.array(PathView).max(8),
  sessions: z.array(SessionView).max(33),
  strip: z.array(StripHour).length(24),
  context: ContextView,
  test: TestView.nullable(),
  /** The deeper test that runs, or the last one of this service; absent: none yet. */
  deepTest: DeepTestView.optional(),
});
export type ServiceState = z.infer<typeof ServiceState>;

export const COLLECT_ITEMS = [
  'wifi',
  'gateway',
  'path',
  'session',
  'resolver',
  'agent',
  'ssid',
  'gatewayIp',
  'publicHops',
  'deviceName',
  'hostFacts',
  'context',
  // Labels that whoever set the device up gave it; listed where there are any.
  'site',
  'ownerEmail',
] as const;
/** Identifiers that the person at this device may keep back; measurements are switched by policy, or all of them by a pause. */
export const USER_SWITCHES = ['ssid', 'gatewayIp', 'publicHops', 'deviceName', 'hostFacts'] as const;

export const CollectItem = z.strictObject({
  item: z.enum(COLLECT_ITEMS),
  on: z.boolean(),
  /** Who decided that it is as it is: the tenant's policy, this device's configuration, the person, or the product. */
  decidedBy: z.enum(['policy', 'device', 'you', 'default']),
  /** True: the person may switch it here. */
  yours: z.boolean(),
  /** Seconds between two; null where it goes with others. */
  everySeconds: z.number().nullable(),
  targets: z.array(word).max(33),
  /** The last value that left, as text, and when; null: none yet. */
  last: z.strictObject({ text: z.string().max(200), atMs: ms }).nullable(),
});
export type CollectItem = z.infer<typeof CollectItem>;

/** What one item takes more than was shown before. */
export const AddedItem = z.strictObject({
  item: z.enum(COLLECT_ITEMS),
  /** The new ones alone. */
  targets: z.array(word).max(33),
  everySeconds: z.number().nullable(),
  /** As it was shown before; null: the item itself is new, or as often as before. */
  wasEverySeconds: z.number().nullable(),
});
export type AddedItem = z.infer<typeof AddedItem>;

export const DisclosureView = z.strictObject({
  /** Names what this view asks for: an answer is to that and nothing else. */
  id: word.default(''),
  /** What was added to what the person was shown before; null where all of it is new to them, or nothing is. */
  added: z.array(AddedItem).nullable().default(null),
  policyVersion: z.int().nonnegative(),
  policyAtMs: ms.nullable(),
  items: z.array(CollectItem),
  server: word.nullable(),
  organisation: word.nullable(),
  /** People who may see it, as the control plane counts them; null where it does not say. */
  readers: z.int().nonnegative().nullable(),
  /** How long single readings are kept, as the control plane says; null where it has not. */
  keptDays: z.int().positive().nullable(),
});
export type DisclosureView = z.infer<typeof DisclosureView>;

/**
 * What leaves towards the control plane: a batch of results, a status, a request to enrol or to renew, a look for updates, the two streams of a
 * test of the line. Those come back as well, and what others at the same site have too is only received.
 */
export const LEDGER_KINDS = ['results', 'status', 'enrol', 'renew', 'update', 'load', 'echo', 'told'] as const;
export const LEDGER_DIRECTIONS = ['sent', 'received'] as const;
/** `signed`: the control plane's signature holds; `unsigned`: acknowledged without one; `invalid`: with a wrong one; `none`: not acknowledged. */
export const RECEIPT_STATES = ['signed', 'unsigned', 'invalid', 'none'] as const;

/** One message of the ledger, in the order sent. */
export const LedgerEntry = z.strictObject({
  kind: z.enum(LEDGER_KINDS).default('results'),
  direction: z.enum(LEDGER_DIRECTIONS).default('sent'),
  receipt: z.enum(RECEIPT_STATES).default('unsigned'),
  /** Of the message as it left, before compression, hex; '' in records of earlier versions. */
  sha256: z.string().max(64).default(''),
  /** Place in the chain. */
  id: z.int().nonnegative(),
  atMs: ms,
  server: word,
  types: z.array(word).max(16),
  results: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  minimised: z.int().nonnegative(),
  /** False: the record was changed after it was written. */
  intact: z.boolean(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const LedgerPage = z.strictObject({
  entries: z.array(LedgerEntry).max(200),
  /** Give it as `before` for older ones; null: no more. */
  next: z.int().nullable(),
  total: z.int().nonnegative(),
  /** Of what was sent. */
  todayBytes: z.int().nonnegative(),
  todayEntries: z.int().nonnegative(),
  intact: z.boolean(),
});
export type LedgerPage = z.infer<typeof LedgerPage>;

/** One result, or one other message, as this device has it and as it was sent: canonical JSON, keys sorted. */
export const LedgerResult = z.strictObject({ before: z.string(), sent: z.string(), withheld: z.array(word) });
export type LedgerResult = z.infer<typeof LedgerResult>;

export const AboutView = z.strictObject({
  version: word,
  protocol: z.int(),
  agentId: word.nullable(),
  ring: z.enum(['canary', 'early', 'main']).nullable(),
  installedBy: z.enum(['repository', 'mdm', 'self', 'checkout']),
  lastUpdateMs: ms.nullable(),
  cpuRatio: z.number().nullable(),
  rssBytes: z.number().nullable(),
  sentBytesDay: z.number().nullable(),
  ledgerBytes: z.number().nonnegative(),
  stateDir: z.string().max(4096),
});
export type AboutView = z.infer<typeof AboutView>;

/** What goes on the clipboard for the helpdesk, as facts; the face writes the words and shows them first. */
export const HelpdeskView = z.strictObject({
  /** `NOS-` and ten characters of Crockford's base 32: agent and minute; the console's search finds it. Null: not enrolled. */
  code: word.nullable(),
  atMs: ms,
  deviceName: word.nullable(),
  verdict: VerdictView.nullable(),
  wifi: z.strictObject({ rssiDbm: Measured, signalPercent: Measured }),
  gateway: z.strictObject({ rttMs: Measured, lossRatio: Measured }),
  sessions: z.array(SessionView).max(33),
  version: word,
});
export type HelpdeskView = z.infer<typeof HelpdeskView>;

/** What only the face is told by its desktop; null: it does not know. */
export const FaceNote = z.strictObject({
  kind: z.enum(['window', 'headless']),
  onBattery: z.boolean().nullable(),
  power: z.enum(['suspend', 'resume']).nullable(),
  /** False: this desktop has no tray. */
  tray: z.boolean(),
  language: word,
});
export type FaceNote = z.infer<typeof FaceNote>;

/** The very text that a person had before them when they answered. */
export const ShownWords = z.strictObject({ language: z.string().max(16), text: z.string().min(1).max(32_768) });
export type ShownWords = z.infer<typeof ShownWords>;

const nothing = z.strictObject({});
const call = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });

/** Every call a face may make. */
export const IPC_CALLS = {
  hello: call(
    z.strictObject({ protocol: z.int(), face: z.enum(['window', 'cli']) }),
    z.strictObject({ protocol: z.int(), version: word }),
  ),
  /** Gives the state now; afterwards each change comes as the event `state`. */
  watch: call(nothing, ServiceState),
  testNow: call(nothing, TestView),
  /** Costs up to DEEP_TEST_COST, which a face shows beforehand; `busy` while another test runs. */
  testDeeper: call(nothing, DeepTestView),
  /** Zero minutes end the pause. Refused over the policy's bound. */
  pause: call(z.strictObject({ minutes: z.int().min(0).max(10_080) }), z.strictObject({ pausedUntilMs: ms.nullable() })),
  answerDisclosure: call(
    z.strictObject({
      answer: z.enum(['shown', 'accepted', 'declined']),
      /** `id` of the view that was shown; default: the last one that was asked for. Refused where something else is asked for by now. */
      of: word.optional(),
      words: ShownWords.optional(),
    }),
    z.strictObject({ disclosure: ServiceState.shape.disclosure }),
  ),
  disclosure: call(nothing, DisclosureView),
  switchItem: call(z.strictObject({ item: z.enum(USER_SWITCHES), on: z.boolean() }), DisclosureView),
  ledger: call(
    z.strictObject({
      search: z.string().max(200).optional(),
      before: z.int().optional(),
      limit: z.int().min(1).max(200).default(50),
    }),
    LedgerPage,
  ),
  /** As many results as one frame holds, from the given place on; `next` gives the place to go on from, absent: that was all. */
  ledgerEntry: call(
    z.strictObject({ id: z.int().nonnegative(), from: z.int().nonnegative().optional() }),
    z.strictObject({ results: z.array(LedgerResult).max(1000), next: z.int().optional() }),
  ),
  /** The window asked the control plane for something itself: it goes into the ledger with the rest, at the service's own time. */
  noteSent: call(z.strictObject({ server: word, path: z.string().max(1024), atMs: ms }), nothing),
  about: call(nothing, AboutView),
  helpdesk: call(nothing, HelpdeskView),
  note: call(FaceNote, nothing),
  /** Answers the event `proxyWanted`. `proxy` as Electron's resolveProxy words it, such as `PROXY a:3128; DIRECT`. */
  proxyFound: call(z.strictObject({ ask: z.int(), proxy: z.string().max(1024) }), nothing),
} as const;
export type IpcCall = keyof typeof IPC_CALLS;
export type IpcInput<C extends IpcCall> = z.input<(typeof IPC_CALLS)[C]['input']>;
/** The input of a call as a service has it, once it is parsed. */
export type IpcParsed<C extends IpcCall> = z.output<(typeof IPC_CALLS)[C]['input']>;
export type IpcOutput<C extends IpcCall> = z.output<(typeof IPC_CALLS)[C]['output']>;

/** What the service sends unasked to faces that watch. */
export const IPC_EVENTS = {
  state: ServiceState,
  proxyWanted: z.strictObject({ ask: z.int(), url: z.url().max(2048) }),
  /** A newer version waits; `how` says whether this program installs it or only tells. */
  update: z.strictObject({ version: word, how: z.enum(['restart', 'tell']) }),
} as const;
export type IpcEvent = keyof typeof IPC_EVENTS;

export const IPC_FAULTS = ['unknown_call', 'bad_input', 'refused', 'not_enrolled', 'busy', 'failed'] as const;
export const IpcRequest = z.strictObject({ id: z.int().nonnegative(), call: z.string().max(64), input: z.unknown() });
export const IpcReply = z.union([
  z.strictObject({ id: z.int().nonnegative(), output: z.unknown() }),
  z.strictObject({
    id: z.int().nonnegative(),
    fault: z.strictObject({ code: z.enum(IPC_FAULTS), message: z.string().max(500) }),
  }),
  z.strictObject({ event: z.string().max(64), value: z.unknown() }),
]);
export type IpcReply = z.infer<typeof IpcReply>;
