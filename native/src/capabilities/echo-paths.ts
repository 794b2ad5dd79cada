import type { FindRoute } from '../gateway/gateway.ts';
import type { OpenProbeSocket } from '../path/probe-socket.ts';
import { readingValue } from '../reading.ts';
import type { Capability, CapabilityName } from './capabilities.ts';
import { can, cannot, describeTry } from './describe.ts';

const DOCUMENTATION = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;

export interface EchoSystem {
  readonly findRoute: FindRoute;
  readonly openSocket: OpenProbeSocket;
  /** How routes are looked up and echoes sent, in words. */
  readonly routeWords: string;
  readonly echoWords: string;
  /** What kept the route table from being read; undefined where it can be. */
  readonly routeFailure: () => string | undefined;
}

/** Gateway and paths of a system whose only probes are echo requests. */
export async function describeEchoPaths(system: EchoSystem): Promise<Capability[]> {
  const attempt = (name: CapabilityName, family: 4 | 6): Capability => {
    const options = {
      destination: DOCUMENTATION[family],
      family,
      method: 'icmp',
      timeoutMs: 10,
      onAnswer: () => undefined,
    } as const;
    return describeTry(name, system.echoWords, () => system.openSocket(options).close());
  };
  const path = async (name: 'path_ipv4' | 'path_ipv6', family: 4 | 6): Promise<Capability> => {
    const tried = attempt(name, family);
    if (!tried.available) return tried;
    const route = await system.findRoute(DOCUMENTATION[family]);
    return 'value' in route ? tried : cannot(name, route.unavailable, `there is no IPv${family} route out of this device`);
  };
  return [
    await describeGateway(system),
    attempt('gateway_icmp', 4),
    await path('path_ipv4', 4),
    await path('path_ipv6', 6),
    attempt('path_icmp', 4),
  ];
}

async function describeGateway({ findRoute, routeWords, routeFailure }: EchoSystem): Promise<Capability> {
  for (const family of [4, 6] as const) {
    const route = readingValue(await findRoute(DOCUMENTATION[family]));
    if (route) return can('gateway', `${routeWords}, IPv${family} by ${route.interfaceName}${route.tunnel ? ' (tunnel)' : ''}`);
  }
  const failure = routeFailure();
  return failure === undefined
    ? cannot('gateway', 'no_target', 'there is no route out of this device')
    : cannot('gateway', 'not_supported', failure);
}
