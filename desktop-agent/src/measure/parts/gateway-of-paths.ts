import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import { roundsOf } from '../state/path-history.ts';

/** Where nothing answered at all, the probes to the gateway were lost as well. */
const isLost = (path: PathMeasurement): boolean => path.hops.every(({ received }) => received === 0);

/**
 * The gateway as the first private hop of traces that went through it (docs/contract/results.md). Its loss is that which
 * the hops behind it share: a router that is slow to answer for itself loses nothing. A trace to which nothing answered lost all.
 * Undefined where no such hop answered.
 */
export function gatewayOfPaths(paths: readonly PathMeasurement[]): GatewayMeasurement | undefined {
  const seen = paths.flatMap((path) => {
    const hop = path.hops.find((one) => one.hop === 1);
    if (!hop || hop.address === null || hop.isPublic || hop.segment !== 'local' || path.method === null || path.family === null)
      return [];
    return [{ hop, address: hop.address, method: path.method, family: path.family, durationMs: path.durationMs }];
  });
  const [first] = seen;
  if (!first || seen.some((one) => one.address !== first.address)) return undefined;
  const sum = (of: (one: (typeof seen)[number]) => number): number => seen.reduce((total, one) => total + of(one), 0);
  const timed = seen.filter((one) => one.hop.rttAvgMs !== null);
  const received = timed.reduce((total, one) => total + one.hop.received, 0);
  const unheard = paths.filter(isLost).reduce((total, path) => total + roundsOf(path), 0);
  const sent = sum((one) => one.hop.sent) + unheard;
  const lost = sum((one) => one.hop.countedLost) + unheard;
  const least = timed.map((one) => one.hop.rttMinMs ?? 0);
  const most = timed.map((one) => one.hop.rttMaxMs ?? 0);
  return {
    address: first.address,
    addressClass: 'private',
    family: first.family,
    interfaceName: '',
    method: first.method,
    reachable: received > 0,
    sent,
    lost,
    lossRatio: sent === 0 ? 0 : lost / sent,
    rttsMs: [],
    rttAvgMs:
      received > 0 ? timed.reduce((total, one) => total + (one.hop.rttAvgMs ?? 0) * one.hop.received, 0) / received : null,
    rttMinMs: least.length > 0 ? Math.min(...least) : null,
    rttMaxMs: most.length > 0 ? Math.max(...most) : null,
    durationMs: sum((one) => one.durationMs),
  };
}
