import { createContextReader } from '../context/linux.ts';
import { findRoute } from '../gateway/linux.ts';
import { openProbeSocket, tryIcmp } from '../path/probe-socket-linux.ts';
import { readingValue } from '../reading.ts';
import { readResolvers } from '../resolvers/linux.ts';
import { readWifi } from '../wifi/linux.ts';
import type { Capability, ReportCapabilities } from './capabilities.ts';
import { can, cannot, describeContext, describeReading, describeTry, describeWifi } from './describe.ts';

const DOCUMENTATION = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;

/** Tries each reading once; sockets are opened and closed, nothing is sent. */
export const reportCapabilities: ReportCapabilities = async () => {
  // The SSID itself never enters the report: only whether it could be read.
  const wifi = await readWifi({ collectSsid: true });
  const resolvers = await readResolvers();
  const found = readingValue(resolvers);
  return [
    ...describeWifi(wifi, { how: 'nl80211', missing: 'no Wi-Fi radio, or its driver does not tell' }),
    await describeGateway(),
    describeIcmp('gateway_icmp'),
    await describePath('path_ipv4', 4),
    await describePath('path_ipv6', 6),
    describeIcmp('path_icmp'),
    describeReading('resolvers', resolvers, {
      how: `${found?.servers.length} in ${found?.source}`,
      reasons: { no_target: 'no DNS server is configured' },
    }),
    ...describeContext(await createContextReader().read(), {
      on_battery: { how: '/sys/class/power_supply', missing: 'this machine names no power supply' },
      metered: { how: "NetworkManager's own reading", missing: 'NetworkManager does not run here, or does not know' },
      vpn: { how: 'kind of the interface that the route leaves by' },
      roams: { how: 'changes of the cell between readings by nl80211', missing: 'no Wi-Fi radio' },
      cellular: { how: 'ModemManager', missing: 'no ModemManager, no modem, or it does not tell' },
    }),
  ];
};

function describeIcmp(name: 'gateway_icmp' | 'path_icmp'): Capability {
  const icmp = tryIcmp(4);
  if (icmp.allowed) return can(name, 'ICMP datagram sockets are open to this user');
  const detail = `ICMP datagram sockets are closed to this user (${icmp.error}; net.ipv4.ping_group_range): UDP probes are used instead`;
  return cannot(name, 'permission', detail);
}

async function describeGateway(): Promise<Capability> {
  for (const family of [4, 6] as const) {
    const route = readingValue(await findRoute(DOCUMENTATION[family]));
    if (!route) continue;
    return can('gateway', `route look-up by rtnetlink, IPv${family} by ${route.interfaceName}${route.tunnel ? ' (tunnel)' : ''}`);
  }
  return cannot('gateway', 'no_target', 'there is no route out of this device');
}

async function describePath(name: 'path_ipv4' | 'path_ipv6', family: 4 | 6): Promise<Capability> {
  const destination = DOCUMENTATION[family];
  const options = { destination, family, method: 'udp', timeoutMs: 0, onAnswer: () => undefined } as const;
  const tried = describeTry(name, 'UDP probes with the error queue', () => openProbeSocket(options).close());
  if (!tried.available) return tried;
  const route = await findRoute(destination);
  if ('value' in route) return tried;
  return cannot(name, route.unavailable, `there is no IPv${family} route out of this device`);
}
