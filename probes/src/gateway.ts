import type { Route } from '@svc/native/gateway/gateway';
import { findRoute, findUnderlay } from '@svc/native/gateway/index';
import type { Underlay } from '@svc/native/gateway/underlay';
import { pingGateway } from '@svc/native/path/index';
import type { PingReading, ProbeMethod } from '@svc/native/path/path';
import { measured, type Reading, unavailable } from '@svc/native/reading';
import { classifyAddress } from './address-class.ts';
import { summariseRoundTrips } from './round-trips.ts';

/** Addresses that exist only in documents: what routes them is the default route, and nothing answers behind the gateway. */
const ANYWHERE = ['192.0.2.1', '198.51.100.1', '2001:db8::1'] as const;
const DEFAULT_COUNT = 5;

export interface GatewayRequest {
  /** Destination of the route look-up and of UDP probes with TTL 1: the first trace target's address, default 192.0.2.1. */
  readonly towards?: string;
  /** Probes, 1 to 100, default 5. */
  readonly count?: number;
  readonly intervalMs?: number;
  /** Silence after which a probe counts as lost, default 1000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface GatewayMeasurement {
  readonly address: string;
  /** `public` addresses are the caller's to withhold. */
  readonly addressClass: 'private' | 'public';
  readonly family: 4 | 6;
  readonly interfaceName: string;
  readonly method: ProbeMethod;
  /** At least one probe came back. */
  readonly reachable: boolean;
  readonly sent: number;
  readonly lost: number;
  readonly lossRatio: number;
  readonly rttsMs: readonly number[];
  readonly rttAvgMs: number | null;
  readonly rttMinMs: number | null;
  readonly rttMaxMs: number | null;
  readonly durationMs: number;
  /** All goes into a VPN: this gateway is that of the line beneath it. */
  readonly beneathTunnel?: {
    /** The VPN's server, where the routes tell; `not_supported`: they do not. */
    readonly endpoint: Reading<string>;
  };
}

/**
 * `no_target`: no route, or none with a gateway of one's own (100.64/10 is the carrier's); `tunnel`: all goes into a VPN and
 * nothing answers beneath it.
 */
export type MeasureGateway = (request: GatewayRequest) => Promise<Reading<GatewayMeasurement>>;

export const measureGateway: MeasureGateway = async (request) => {
  const startedMs = performance.now();
  const found = await findGateway(request.towards);
  if ('unavailable' in found) return found;
  const ping = await pingEitherWay(found.value, request);
  if ('unavailable' in ping) return ping;
  const { gateway, route, beneath } = found.value;
  const { method, sent, received, rttsMs } = ping.value;
  // Many VPNs let nothing past them, so that a silence beneath one says nothing of the gateway.
  if (beneath && received === 0) return unavailable('tunnel');
  return measured({
    address: gateway,
    addressClass: classifyAddress(gateway) === 'private' ? 'private' : 'public',
    family: route.family,
    interfaceName: route.interfaceName,
    method,
    reachable: received > 0,
    sent,
    lost: sent - received,
    lossRatio: sent === 0 ? 0 : 1 - received / sent,
    rttsMs,
    ...summariseRoundTrips(rttsMs),
    durationMs: performance.now() - startedMs,
    ...(beneath ? { beneathTunnel: { endpoint: beneath.endpoint } } : {}),
  });
};

interface Gateway {
  readonly gateway: string;
  readonly route: Pick<Route, 'family' | 'interfaceName' | 'interfaceIndex'>;
  readonly towards: string;
  readonly beneath?: Underlay;
}

/** The physical gateway beneath a tunnel; probes that expire there are headed where the default route led without it. */
async function findBeneath(): Promise<Reading<Gateway>> {
  const found = await findUnderlay();
  if ('unavailable' in found) return unavailable('tunnel');
  const beneath = found.value;
  if (classifyAddress(beneath.gateway) === 'carrier') return unavailable('no_target');
  const towards = ANYWHERE[beneath.family === 4 ? 0 : 2];
  return measured({ gateway: beneath.gateway, route: beneath, towards, beneath });
}

/** The next hop of the default route. Where the asked-for address is on this link, the next documentation address decides. */
async function findGateway(wanted: string | undefined): Promise<Reading<Gateway>> {
  for (const towards of wanted === undefined ? ANYWHERE : [wanted, ...ANYWHERE]) {
    const route = await findRoute(towards);
    if ('unavailable' in route) {
      if (route.unavailable === 'no_target') continue;
      return route;
    }
    if (route.value.tunnel) return await findBeneath();
    if ('unavailable' in route.value.gateway) continue;
    const gateway = route.value.gateway.value;
    if (classifyAddress(gateway) === 'carrier') return unavailable('no_target');
    return measured({ gateway, route: route.value, towards });
  }
  return unavailable('no_target');
}

/** ICMP where the system permits it; a gateway that leaves every echo unanswered gets the other way before it counts as gone. */
async function pingEitherWay(
  { gateway, route, towards, beneath }: Gateway,
  request: GatewayRequest,
): Promise<Reading<PingReading>> {
  const { count = DEFAULT_COUNT, intervalMs, timeoutMs, signal } = request;
  const limits = {
    count,
    ...(intervalMs === undefined ? {} : { intervalMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(signal === undefined ? {} : { signal }),
  };
  const through = beneath ? { through: beneath.interfaceName } : {};
  const asked = { gateway, interfaceIndex: route.interfaceIndex, towards, ...through, ...limits };
  const first = await pingGateway(asked);
  if ('unavailable' in first || first.value.received > 0 || first.value.method === 'udp') return first;
  const second = await pingGateway({ ...asked, method: 'udp' });
  return 'value' in second && second.value.received > 0 ? second : first;
}
