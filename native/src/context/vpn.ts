import type { UnavailableCode } from '@svc/contracts/verdict';
import type { FindRoute, Route } from '../gateway/gateway.ts';
import { measured, type Reading, unavailable } from '../reading.ts';
import type { ContextRequest } from './context.ts';

/** Addresses that exist only in documents: what routes them is the default route. */
const ANYWHERE = ['192.0.2.1', '2001:db8::1'] as const;

/** Whether the route leaves through a tunnel; `alsoTunnel` knows further kinds of interface. */
export async function readVpn(
  findRoute: FindRoute,
  { towards }: ContextRequest,
  alsoTunnel?: (route: Route) => Promise<boolean>,
): Promise<Reading<boolean>> {
  let refused: UnavailableCode = 'no_target';
  for (const address of towards === undefined ? ANYWHERE : [towards]) {
    const reading = await findRoute(address);
    if ('value' in reading) return measured(reading.value.tunnel || ((await alsoTunnel?.(reading.value)) ?? false));
    refused = reading.unavailable;
  }
  return unavailable(refused);
}
