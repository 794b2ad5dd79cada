import { familyOf } from '../ffi/address.ts';
import { SystemCallError } from '../ffi/libc.ts';
import { NETLINK_ROUTE, type Netlink, withNetlink } from '../ffi/netlink/netlink.ts';
import { measured, type Reading, readingOf, unavailable } from '../reading.ts';
import type { FindRoute, Route } from './gateway.ts';
import {
  encodeLinkRequest,
  encodeRouteRequest,
  encodeRoutesRequest,
  type LinkMessage,
  parseLink,
  parseRoute,
  parseRouteRow,
  RTM_GETLINK,
  RTM_GETROUTE,
} from './rtnetlink.ts';
import { chooseUnderlay, type FindUnderlay, type Underlay } from './underlay.ts';

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
    const outgoing = readLink(netlink, route.outgoingIndex);
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

function readLink(netlink: Netlink, index: number): LinkMessage | undefined {
  const [link] = netlink.request({ type: RTM_GETLINK, payload: encodeLinkRequest(index) });
  return link && parseLink(link);
}

/** All tables count: some VPNs keep their default route in one of their own and leave the main one as it was. */
export const findUnderlay: FindUnderlay = async () => {
  try {
    return withNetlink(
      NETLINK_ROUTE,
      (netlink) => readUnderlay(netlink, 4) ?? readUnderlay(netlink, 6) ?? unavailable('no_target'),
    );
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return unavailable(codeOf(error));
  }
};

function readUnderlay(netlink: Netlink, family: 4 | 6): Reading<Underlay> | undefined {
  const messages = netlink.request({ type: RTM_GETROUTE, payload: encodeRoutesRequest(family), dump: true });
  const rows = messages.flatMap((message) => parseRouteRow(message) ?? []);
  const links = new Map(
    [...new Set(rows.map((row) => row.interfaceIndex))].map((index) => [index, readLink(netlink, index)] as const),
  );
  // An interface that went away meanwhile carries nothing.
  const way = chooseUnderlay(rows, (index) => links.get(index)?.tunnel ?? true);
  const name = way && links.get(way.interfaceIndex)?.name;
  if (!way || name === undefined) return undefined;
  const { gateway, interfaceIndex, endpoint } = way;
  return measured({ family, gateway, interfaceName: name, interfaceIndex, endpoint: readingOf(endpoint, 'not_supported') });
}

/** ENETUNREACH, EHOSTUNREACH and the answers of prohibit and blackhole routes mean: no route. */
function codeOf(error: SystemCallError): 'no_target' | 'permission' | 'not_supported' {
  if (['ENETUNREACH', 'EHOSTUNREACH', 'EINVAL', 'EACCES', 'ESRCH'].includes(error.code)) return 'no_target';
  return error.code === 'EPERM' ? 'permission' : 'not_supported';
}
