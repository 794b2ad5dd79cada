import { SystemCallError } from '../ffi/libc.ts';
import { findRoute } from '../gateway/linux.ts';
import { openProbeSocket, tryIcmp } from '../path/probe-socket-linux.ts';
import { type Reading, readingValue } from '../reading.ts';
import { readResolvers } from '../resolvers/linux.ts';
import { readWifi } from '../wifi/linux.ts';
import type { WifiReading } from '../wifi/wifi.ts';
import type { Capability, CapabilityName, ReportCapabilities } from './capabilities.ts';

const DOCUMENTATION = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;

/** Tries each reading once; sockets are opened and closed, nothing is sent. */
export const reportCapabilities: ReportCapabilities = async () => {
  // The SSID itself never enters the report: only whether it could be read.
  const wifi = await readWifi({ collectSsid: true });
  const icmp = tryIcmp(4);
  const resolvers = await readResolvers();
  return [
    describeRadio('wifi', wifi, wifi.rssiDbm),
    describeRadio('ssid', wifi, wifi.ssid),
    describeRadio('noise', wifi, wifi.noiseDbm),
    await describeGateway(),
    icmp.allowed
      ? can('gateway_icmp', 'ICMP datagram sockets are open to this user')
      : { name: 'gateway_icmp', available: false, unavailable: 'permission', detail: icmpClosed(icmp.error) },
    await describePath('path_ipv4', 4),
    await describePath('path_ipv6', 6),
    icmp.allowed
      ? can('path_icmp', 'ICMP datagram sockets are open to this user')
      : { name: 'path_icmp', available: false, unavailable: 'permission', detail: icmpClosed(icmp.error) },
    'value' in resolvers
      ? can('resolvers', `${resolvers.value.servers.length} in ${resolvers.value.source}`)
      : cannot('resolvers', resolvers, 'no DNS server is configured'),
  ];
};

const can = (name: CapabilityName, detail: string): Capability => ({ name, available: true, detail });

const cannot = (name: CapabilityName, reading: Reading<unknown>, detail: string): Capability => ({
  name,
  available: false,
  ...('unavailable' in reading ? { unavailable: reading.unavailable } : {}),
  detail,
});

const icmpClosed = (error: string): string =>
  `ICMP datagram sockets are closed to this user (${error}; net.ipv4.ping_group_range): UDP probes are used instead`;

const RADIO_REASONS: Readonly<Record<string, string>> = {
  wired: 'this device is connected by cable',
  asleep: 'the radio is not connected to a network',
  tunnel: 'all traffic goes through a tunnel and no radio is connected',
  permission: 'the system refuses to tell',
  not_supported: 'no Wi-Fi radio, or its driver does not tell',
};

function describeRadio(name: 'wifi' | 'ssid' | 'noise', wifi: WifiReading, field: Reading<unknown>): Capability {
  if ('value' in field) return can(name, `nl80211 on ${readingValue(wifi.interfaceName) ?? 'the radio'}`);
  return cannot(name, field, RADIO_REASONS[field.unavailable] ?? field.unavailable);
}

async function describeGateway(): Promise<Capability> {
  for (const family of [4, 6] as const) {
    const route = readingValue(await findRoute(DOCUMENTATION[family]));
    if (route)
      return can(
        'gateway',
        `route look-up by rtnetlink, IPv${family} by ${route.interfaceName}${route.tunnel ? ' (tunnel)' : ''}`,
      );
  }
  return { name: 'gateway', available: false, unavailable: 'no_target', detail: 'there is no route out of this device' };
}

async function describePath(name: 'path_ipv4' | 'path_ipv6', family: 4 | 6): Promise<Capability> {
  const destination = DOCUMENTATION[family];
  try {
    openProbeSocket({ destination, family, method: 'udp', timeoutMs: 0, onAnswer: () => undefined }).close();
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return { name, available: false, unavailable: 'not_supported', detail: error.message };
  }
  const route = await findRoute(destination);
  if ('unavailable' in route) return cannot(name, route, `there is no IPv${family} route out of this device`);
  return can(name, 'UDP probes with the error queue');
}
