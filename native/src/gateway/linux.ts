import { familyOf } from '../ffi/address.ts';
import { SystemCallError } from '../ffi/libc.ts';
import { NETLINK_ROUTE, withNetlink } from '../ffi/netlink.ts';
import { measured, type Reading, readingOf, unavailable } from '../reading.ts';
import type { FindRoute, Route } from './gateway.ts';
import { encodeLinkRequest, encodeRouteRequest, parseLink, parseRoute, RTM_GETLINK, RTM_GETROUTE } from './rtnetlink.ts';

/** Asks the kernel by rtnetlink; no privilege, no packet. */
export const findRoute: FindRoute = async (destination) => {
  const family = familyOf(destination);
  try {
    return readRoute(destination, family);
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return unavailable(codeOf(error));
  }
};

function readRoute(destination: string, family: 4 | 6): Reading<Route> {
  return withNetlink(NETLINK_ROUTE, (netlink) => {
    const [answer] = netlink.request({ type: RTM_GETROUTE, payload: encodeRouteRequest(destination) });
    const route = answer && parseRoute(answer);
    if (!route?.usable) return unavailable('no_target');
    const [link] = netlink.request({ type: RTM_GETLINK, payload: encodeLinkRequest(route.outgoingIndex) });
    const outgoing = link && parseLink(link);
    if (!outgoing) return unavailable('not_supported');
    return measured({
      family,
      gateway: outgoing.tunnel ? unavailable('tunnel') : readingOf(route.gateway, 'no_target'),
      interfaceName: outgoing.name,
      interfaceIndex: route.outgoingIndex,
      source: readingOf(route.source, 'not_supported'),
      tunnel: outgoing.tunnel,
    });
  });
}

/** ENETUNREACH, EHOSTUNREACH and the answers of prohibit and blackhole routes mean: no route. */
function codeOf(error: SystemCallError): 'no_target' | 'permission' | 'not_supported' {
  if (['ENETUNREACH', 'EHOSTUNREACH', 'EINVAL', 'EACCES', 'ESRCH'].includes(error.code)) return 'no_target';
  return error.code === 'EPERM' ? 'permission' : 'not_supported';
}
