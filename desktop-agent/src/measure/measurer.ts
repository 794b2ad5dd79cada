import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import type { ProbeMethod } from '@svc/native/path/path';
import type { Reading } from '@svc/native/reading';
import type { ForwardingMeasurement } from '@svc/probes/forwarding';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';
import { type CauseChanges, createCauseChanges, isStillPresent } from '../attribution/onset.ts';
import type { AgentClock } from '../clock.ts';
import type { EndpointResult, Stamp } from '../result.ts';
import type { Settings } from '../settings.ts';
import { type Judged, judge } from './attribution-result.ts';
import { measureWithFollowUp } from './follow-up.ts';
import { gatewayOfPaths } from './gateway-of-paths.ts';
import type { OnsetStore } from './onset-store.ts';
import type { ProbeSet } from './probe-set.ts';
import { measureResolverRound } from './resolver-round.ts';
import {
  gatewayResult,
  pathResult,
  resolverAbsent,
  resolverResult,
  type SessionRole,
  sessionResult,
  wifiResult,
} from './results.ts';
import { createDeviceState, type DeviceState } from './state/device-state.ts';
import type { UsualStore } from './state/usual-store.ts';
import { createTurns, type Turns } from './turns.ts';

export interface MeasurerDeps {
  probes: ProbeSet;
  settings(): Settings;
  clock: AgentClock;
  /** UUIDv7. */
  newId(): string;
  /** Takes each result as measured, before minimising. */
  emit(results: readonly EndpointResult[]): Promise<void>;
  /** The control plane's own address, whose session is shown and never judged. */
  controlPlane(): { url: string; authority?: string } | undefined;
  /** Carries the onset of the cause over restarts; without it each run begins anew. */
  onsets?: OnsetStore;
  /** What is usual by network; without it only the policy's thresholds are known. */
  usual?: UsualStore;
  /** The proxy that this device uses for a URL; without it sessions go direct. */
  proxyFor?(url: string): Promise<string | null>;
  /** Whether all goes into a VPN: the first hops of traces then lie inside of it. */
  isTunnelled?(): boolean;
  /** Hears of each session before its result is emitted. */
  onSession?(session: SessionMeasurement): void;
  /** Hears of each round of resolvers before its results are emitted. */
  onResolvers?(resolvers: readonly ResolverMeasurement[]): void;
  /** Hears of each verdict. */
  onJudged?(judged: Judged): void;
  /** Asked at the begin of each measurement; ends it when it is aborted. */
  signal(): AbortSignal;
}

/** A part of a full round. */
export type RoundPart = 'wifi' | 'route' | 'sessions' | 'resolvers';

export interface Depth {
  /** Probes to the gateway, and rounds of one trace. */
  probes: number;
  /** In a full round: rounds of all traces together, and the gateway is read from them. */
  quick: boolean;
}

export interface Measurer {
  wifi(): Promise<void>;
  gateway(depth: Depth): Promise<void>;
  paths(depth: Depth): Promise<void>;
  sessions(): Promise<void>;
  resolvers(): Promise<void>;
  /** The verdict over the newest reading of each layer. */
  attribution(): Promise<Judged>;
  /** Another network, be its gateway's address the same: what was measured in the former one is forgotten. */
  networkChanged(): void;
  /** The name of the present network, under which its usual values are kept; undefined while it has none. */
  enterNetwork(fingerprint: string | undefined): void;
  /** Everything once, then the verdict. */
  all(depth: Depth, onPart?: (part: RoundPart) => void): Promise<Judged>;
}

export const USUAL_DEPTH: Depth = { probes: 10, quick: false };
/** For `once`, "test now" and run-now: enough probes for a loss to mean something, in under 30 s. */
export const FULL_DEPTH: Depth = { probes: 25, quick: true };
const SESSIONS_AT_ONCE = 2;
const CONFIRMATIONS = 2;
const CONFIRM_AFTER_MS = 5000;

/** A router's burst of six answers is full again after as many seconds. */
const QUIET_MS = 6000;
/** For a person who waits: a verdict in under 30 s counts for more than the last of the router's answers. */
const URGENT_QUIET_MS = 2000;
const FEWEST_ROUNDS = 3;
/** As fast as routers answer, for a person who waits. */
const ROUND_MS = 1000;
/** Slower than routers answer, so that another agent or tool on this address does not make losses out of nothing. */
const GENTLE_MS = 1500;
/** Before it is known how the gateway answers: a burst that every router grants. */
const FIRST_PROBES = 5;
/** Where traces were silent about the gateway, a few probes of its own tell whether it answers at all. */
const FALLBACK_PROBES = 5;
/** Asked of a DNS server behind a gateway that left probes unanswered: some seconds even where all are lost. */
const FORWARDING_QUERIES = 10;
/** A gateway that never answers is asked about at each turn: two tell that it passes anything on. */
const EGRESS_QUERIES = 2;

interface Measuring extends MeasurerDeps {
  state: DeviceState;
  onset: Judged['onset'];
  /** When `onset` was last that of a verdict, Unix milliseconds. */
  onsetSeenMs: number;
  changes: CauseChanges;
  /** Probes that expire at routers take turns. */
  turns: Turns;
  /** How many networks were left in this run. */
  networksLeft: number;
  /** ICMP echo has no such limit. */
  gatewayMethod: ProbeMethod | undefined;
}

const stampNow = (m: Measuring): Stamp => ({ resultId: m.newId(), startedAtMs: m.clock.now() });

/** At most `width` at once; stops at the first failure like Promise.all. */
async function eachOf<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const lane = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

async function measureWifi(m: Measuring): Promise<void> {
  const stamp = stampNow(m);
  const { networksLeft } = m;
  const reading = await m.probes.readWifi({ collectSsid: m.settings().collect.ssid });
  // A reading that was begun in a former network does not speak for the next.
  if (networksLeft === m.networksLeft) m.state.addWifi(reading, m.clock.steady());
  await m.emit([wifiResult(reading, stamp)]);
}

async function keepGateway(m: Measuring, reading: Reading<GatewayMeasurement>, stamp: Stamp): Promise<void> {
  if ('value' in reading) m.gatewayMethod = reading.value.method;
  m.state.addGateway(reading, m.clock.steady());
  await m.emit([gatewayResult(reading, stamp)]);
}

interface Ping {
  count: number;
  intervalMs?: number;
}

async function pingGateway(m: Measuring, ping: Ping): Promise<void> {
  const first = m.settings().traceTargets.find((target) => isIP(target) !== 0);
  const towards = first === undefined ? {} : { towards: first };
  const stamp = stampNow(m);
  const reading = await m.probes.measureGateway({ ...towards, ...ping, signal: m.signal() });
  if ('unavailable' in reading) return await keepGateway(m, reading, stamp);
  const gateway = reading.value;
  const way = await doubtLoss(m, gateway);
  if (gateway.reachable || !way || way.lost === way.sent)
    return await keepGateway(m, { value: way ? forgiveOwnLoss(gateway, way) : gateway }, stamp);
  m.gatewayMethod = gateway.method;
  m.state.addSilentGateway(gateway, m.clock.steady());
  await m.emit([gatewayResult(reading, stamp)]);
}

/** What the way over the gateway loses where the gateway left probes unanswered; undefined where it left none or nothing tells. */
async function doubtLoss(
  m: Measuring,
  { address, lost, reachable }: GatewayMeasurement,
): Promise<ForwardingMeasurement | undefined> {
  if (lost === 0) return undefined;
  const resolvers = await m.probes.readResolvers();
  const servers = 'value' in resolvers ? resolvers.value.servers : [];
  const count = reachable ? FORWARDING_QUERIES : EGRESS_QUERIES;
  const asked = { gateway: address, servers, name: nameToAsk(m), count, signal: m.signal() };
  const measured = await m.probes.measureForwarding(asked);
  if (measured || !reachable) return measured;
  const traced = gatewayOfPaths(m.state.paths(m.clock.steady()));
  return traced?.address === address && traced.sent > 0 ? traced : undefined;
}

/**
 * A router that leaves probes unanswered yet passes everything on loses nothing: it limits its answers, and other agents and
 * tools on this address share them. Its loss counts as far as the way over it loses too.
 */
function forgiveOwnLoss(gateway: GatewayMeasurement, way: ForwardingMeasurement): GatewayMeasurement {
  const lost = Math.min(gateway.lost, Math.ceil((way.lost / way.sent) * gateway.sent));
  return { ...gateway, lost, lossRatio: lost / gateway.sent };
}

/** Probes that expire at the gateway fill at most half of the time until the next turn. */
function gentlePing(m: Measuring, probes: number): Ping {
  if (m.gatewayMethod === undefined) return { count: Math.min(probes, FIRST_PROBES) };
  const fitting = Math.floor(m.settings().intervals.gateway / 2 / GENTLE_MS);
  return { count: Math.max(1, Math.min(probes, fitting)), intervalMs: GENTLE_MS };
}

async function tracePaths(m: Measuring, rounds: number, roundMs: number): Promise<PathMeasurement[]> {
  const measured: PathMeasurement[] = [];
  for (const target of m.settings().traceTargets) {
    const stamp = stampNow(m);
    const reading = await m.probes.measurePath({ target, rounds, roundMs, signal: m.signal() });
    m.state.addPath(target, reading, m.clock.steady());
    if ('value' in reading) measured.push(reading.value);
    const result = pathResult(target, reading, stamp);
    if (m.isTunnelled?.() === true) result.attributes[ATTRIBUTES.tunnel] = 'true';
    await m.emit([result]);
  }
  return measured;
}

const measureGateway = (m: Measuring, { probes }: Depth): Promise<void> =>
  m.gatewayMethod === 'icmp' ? pingGateway(m, { count: probes }) : m.turns.take(() => pingGateway(m, gentlePing(m, probes)));

async function measurePaths(m: Measuring, { probes }: Depth): Promise<void> {
  if (m.settings().traceTargets.length > 0) await m.turns.take(() => tracePaths(m, probes, GENTLE_MS));
}

/** Gateway and paths in one go, in under 30 s: each probe serves both where there are traces. */
async function measureRoute(m: Measuring, { probes, quick }: Depth): Promise<void> {
  const targets = m.settings().traceTargets.length;
  await m.turns.take(
    async () => {
      if (targets === 0) return await pingGateway(m, { count: probes });
      const stamp = stampNow(m);
      const rounds = quick ? Math.max(FEWEST_ROUNDS, Math.floor((probes + 1) / targets)) : probes;
      const paths = await tracePaths(m, rounds, ROUND_MS);
      const gateway = m.isTunnelled?.() === true ? undefined : gatewayOfPaths(paths);
      if (gateway) await keepGateway(m, { value: gateway }, stamp);
      else await pingGateway(m, { count: FALLBACK_PROBES });
    },
    quick ? URGENT_QUIET_MS : undefined,
  );
}

interface SessionOrder {
  url: string;
  authority?: string;
  role: SessionRole;
}

/** Every target once, and those that differ from before up to twice more: one session alone blames nobody, and a fault is told soon. */
async function measureSessions(m: Measuring): Promise<void> {
  const controlPlane = m.controlPlane();
  const targets = m.settings().sessionTargets.map((url) => ({ url, role: 'target' as const }));
  const all: SessionOrder[] = controlPlane ? [{ ...controlPlane, role: 'control_plane' as const }, ...targets] : targets;
  m.state.keepTargets(
    m.settings().traceTargets,
    all.map((one) => one.url),
  );
  await openSessions(m, all);
  for (let again = 0; again < CONFIRMATIONS; again += 1) {
    const doubtful = all.filter(({ url }) => m.state.isDoubtful(url));
    if (doubtful.length === 0) return;
    await sleep(CONFIRM_AFTER_MS, undefined, { signal: m.signal() });
    await openSessions(m, doubtful);
  }
}

async function openSessions(m: Measuring, orders: readonly SessionOrder[]): Promise<void> {
  await eachOf(orders, SESSIONS_AT_ONCE, async ({ role, ...order }) => {
    const stamp = stampNow(m);
    const proxy = m.proxyFor ? { proxyFor: m.proxyFor } : {};
    const asked = { ...order, ...proxy, signal: m.signal() };
    const session = await measureWithFollowUp(m.probes, asked, { isTarget: role === 'target' });
    m.state.addSession(session, role, m.clock.steady());
    m.onSession?.(session);
    await m.emit([sessionResult(session, role, stamp)]);
  });
}

/** A name that the asked server answers by itself or that this device looks up anyway: nobody new is contacted for it. */
function nameToAsk(m: Measuring): string {
  const host = new URL(m.controlPlane()?.url ?? 'https://localhost').hostname;
  return isIP(host.replace(/^\[|\]$/g, '')) ? 'localhost' : host;
}

async function measureResolvers(m: Measuring): Promise<void> {
  const found = await m.probes.readResolvers();
  if ('unavailable' in found) {
    await m.emit([resolverAbsent(found.unavailable, stampNow(m))]);
    return;
  }
  const controlPlane = m.controlPlane();
  const stamp = stampNow(m);
  const measured = await measureResolverRound(m.probes, {
    servers: found.value.servers,
    urls: [...(controlPlane ? [controlPlane.url] : []), ...m.settings().sessionTargets],
    otherwise: nameToAsk(m),
    ...(m.proxyFor ? { proxyFor: m.proxyFor } : {}),
    signal: m.signal(),
  });
  for (const one of measured) m.state.addResolver(one, m.clock.steady());
  m.onResolvers?.(measured);
  await m.emit(measured.map((one) => resolverResult(one, { ...stamp, resultId: m.newId() })));
}

async function attributeNow(m: Measuring): Promise<Judged> {
  const nowMs = m.clock.now();
  const previous = isStillPresent(m.onsetSeenMs, nowMs) ? m.onset : undefined;
  const judging = { thresholds: m.settings().thresholds, previous, flips: m.changes.count(m.clock.steady()) };
  const judged = judge(m.state.readings(m.clock.steady()), judging, stampNow(m));
  // A moment in which nothing could be judged, as right after a start, ends no cause.
  if (judged.onset) {
    if (previous && previous.cause !== judged.onset.cause) m.changes.note(m.clock.steady());
    m.onset = judged.onset;
    m.onsetSeenMs = nowMs;
    await m.onsets?.keep(judged.onset);
  }
  await m.usual?.keep();
  await m.emit([judged.result]);
  m.onJudged?.(judged);
  return judged;
}

async function measureAll(m: Measuring, depth: Depth, onPart?: (part: RoundPart) => void): Promise<Judged> {
  const parts: Record<RoundPart, () => Promise<void>> = {
    wifi: () => measureWifi(m),
    route: () => measureRoute(m, depth),
    sessions: () => measureSessions(m),
    resolvers: () => measureResolvers(m),
  };
  const turns = Object.entries(parts).map(async ([part, run]) => {
    await run();
    onPart?.(part as RoundPart);
  });
  // One part that fails leaves the others their say.
  const done = await Promise.allSettled(turns);
  m.signal().throwIfAborted();
  const failed = done.filter((part) => part.status === 'rejected');
  if (failed.length === turns.length) throw failed[0]?.reason;
  return await attributeNow(m);
}

/** Measures on demand and keeps the newest reading of each layer; knows nothing of when. */
export function createMeasurer(deps: MeasurerDeps): Measurer {
  const newTurns = (): Turns =>
    createTurns({
      quietMs: () => (m.gatewayMethod === 'icmp' ? 0 : QUIET_MS),
      steady: deps.clock.steady,
      signal: deps.signal,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    });
  const m: Measuring = {
    ...deps,
    state: createDeviceState(() => deps.settings().intervals, deps.usual?.values),
    onset: deps.onsets?.earlier,
    onsetSeenMs: deps.clock.now(),
    changes: createCauseChanges(),
    gatewayMethod: undefined,
    networksLeft: 0,
    turns: newTurns(),
  };
  return {
    wifi: () => measureWifi(m),
    gateway: (depth) => measureGateway(m, depth),
    paths: (depth) => measurePaths(m, depth),
    sessions: () => measureSessions(m),
    resolvers: () => measureResolvers(m),
    attribution: () => attributeNow(m),
    networkChanged() {
      m.networksLeft += 1;
      m.state.enterNetwork(undefined, true);
      m.gatewayMethod = undefined;
      m.turns = newTurns();
    },
    enterNetwork: (fingerprint) => m.state.enterNetwork(fingerprint, false),
    all: (depth, onPart) => measureAll(m, depth, onPart),
  };
}
