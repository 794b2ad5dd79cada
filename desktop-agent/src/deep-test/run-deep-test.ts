import type { DeepTestView, LineView, MtuView } from '@svc/contracts/agent/deep-test';
import type { DeepTestPart } from '@svc/contracts/agent/deep-test-facts';
import { resolveHost } from '@svc/probes/session-connect';
import { gatewayOfPaths } from '../measure/parts/gateway-of-paths.ts';
import type { ProbeSet } from '../measure/probe-set.ts';
import { viewPings, viewTrace } from './view-path.ts';

const PINGS = 25;
const TRACE_ROUNDS = 5;
/** Where only probes that expire at the gateway are answered, about once a second, the trace's own are the pings. */
const FEWER_PINGS = 12;
const ROUND_MS = 1000;
/** For a person who waits: less than what a router's burst needs to be full again. */
const QUIET_MS = 2000;

export type DeepTestResult = Pick<DeepTestView, DeepTestPart>;

export interface DeepTestDeps {
  probes: Pick<ProbeSet, 'measureGateway' | 'measurePath' | 'measurePathMtu'>;
  /** Probes that expire at routers take turns with all others. */
  takeTurn<T>(work: () => Promise<T>, longestQuietMs: number): Promise<T>;
  /** The gateway answers echoes. */
  hasEcho: boolean;
  loadLine(signal: AbortSignal): Promise<LineView>;
  /** Names or addresses that this device talks to anyway, without a proxy. */
  hosts: readonly string[];
  /** What is traced; undefined: nothing is chosen, and there is no control plane. */
  target: string | undefined;
  signal: AbortSignal;
  onPart(part: DeepTestPart, result: Partial<DeepTestResult>): void;
  /** Default: the system's resolver. */
  resolve?(host: string, signal: AbortSignal): Promise<string | undefined>;
}

const lookUp = async (host: string, signal: AbortSignal): Promise<string | undefined> =>
  (await resolveHost(host, signal).catch(() => undefined))?.addresses[0]?.address;

async function sweep({ probes, resolve = lookUp, signal }: DeepTestDeps, host: string): Promise<MtuView> {
  const address = await resolve(host, signal);
  const reading = address === undefined ? undefined : await probes.measurePathMtu({ address, fine: true, signal });
  if (!reading || 'unavailable' in reading) return { host, mtuBytes: null, lostBytes: null, isBlackHole: false };
  const { mtuBytes, lostBytes, isBlackHole } = reading.value;
  return { host, mtuBytes, lostBytes, isBlackHole };
}

async function measureRoute(deps: DeepTestDeps): Promise<void> {
  const { probes, target, hasEcho, signal, onPart } = deps;
  const ping = async (): Promise<void> =>
    onPart('pings', { pings: viewPings(await probes.measureGateway({ count: hasEcho ? PINGS : FEWER_PINGS, signal })) });
  if (hasEcho || target === undefined) await ping();
  if (target === undefined) return onPart('path', { path: null });
  const rounds = hasEcho ? TRACE_ROUNDS : FEWER_PINGS;
  const reading = await probes.measurePath({ target, rounds, roundMs: ROUND_MS, signal });
  if (!hasEcho) {
    const seen = 'value' in reading ? gatewayOfPaths([reading.value]) : undefined;
    onPart('pings', { pings: viewPings(seen ? { value: seen } : { unavailable: 'not_supported' }) });
  }
  onPart('path', { path: viewTrace(target, reading) });
}

/** First the load, alone: nothing else may be measured through the queue that it makes. Rejects when aborted. */
export async function runDeepTest(deps: DeepTestDeps): Promise<void> {
  const { signal, onPart, hosts } = deps;
  onPart('line', { line: await deps.takeTurn(() => deps.loadLine(signal), 0) });
  const sweeps = Promise.all(hosts.map((host) => sweep(deps, host))).then((mtu) => onPart('mtu', { mtu }));
  const done = await Promise.allSettled([sweeps, deps.takeTurn(() => measureRoute(deps), QUIET_MS)]);
  signal.throwIfAborted();
  const failed = done.find((part) => part.status === 'rejected');
  if (failed) throw failed.reason;
}
