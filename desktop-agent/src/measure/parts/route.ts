import { isIP } from 'node:net';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import type { Reading } from '@svc/native/reading';
import type { ForwardingMeasurement } from '@svc/probes/forwarding';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import type { Stamp } from '../../result.ts';
import { gatewayResult, pathResult } from '../results.ts';
import { gatewayOfPaths } from './gateway-of-paths.ts';
import { type Depth, type Measuring, nameToAsk, stampNow } from './measuring.ts';

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
const FORWARDING_QUERIES = 20;
/** A gateway that never answers is asked about at each turn: two tell that it passes anything on. */
const EGRESS_QUERIES = 2;

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
  await traceUnderlay(m, rounds, roundMs);
  return measured;
}

/** While probes are under way, what this device itself sends and receives: a queue may be its own. */
async function besideTraffic<T>(m: Measuring, probe: () => Promise<T>): Promise<T> {
  await noteTraffic(m);
  const result = await probe();
  await noteTraffic(m);
  return result;
}

async function noteTraffic(m: Measuring): Promise<void> {
  const reading = await m.probes.readTraffic?.();
  if (reading && 'value' in reading) m.state.addTraffic(reading.value, m.clock.steady());
}

export const measureGateway = (m: Measuring, { probes }: Depth): Promise<void> =>
  besideTraffic(m, () =>
    m.gatewayMethod === 'icmp' ? pingGateway(m, { count: probes }) : m.turns.take(() => pingGateway(m, gentlePing(m, probes))),
  );

export async function measurePaths(m: Measuring, { probes }: Depth): Promise<void> {
  if (m.settings().traceTargets.length > 0 || m.isTunnelled?.() === true)
    await besideTraffic(m, () => m.turns.take(() => tracePaths(m, probes, GENTLE_MS)));
}

/** The line beneath a VPN, by the way to the VPN's own server. It is what this device sends to anyway; nothing of it is told to anybody. */
async function traceUnderlay(m: Measuring, rounds: number, roundMs: number): Promise<void> {
  const endpoint = m.isTunnelled?.() === true ? m.state.tunnelEndpoint() : undefined;
  if (endpoint === undefined) return;
  m.state.addUnderlay(await m.probes.measurePath({ target: endpoint, rounds, roundMs, signal: m.signal() }), m.clock.steady());
}

/** Gateway and paths in one go, in under 30 s: each probe serves both where there are traces. */
export async function measureRoute(m: Measuring, { probes, quick }: Depth): Promise<void> {
  const targets = m.settings().traceTargets.length;
  const route = (): Promise<void> =>
    m.turns.take(
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
  await besideTraffic(m, route);
}
