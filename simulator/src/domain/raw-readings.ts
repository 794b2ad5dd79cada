import type { gatewayResult, pathResult, sessionResult, wifiResult } from '@svc/desktop-agent/headless';
import type { Conditions } from './conditions.ts';
import type { Device } from './device.ts';

/** The shapes that the agent's own probes give, taken from what it makes results of. */
export type RawWifi = Parameters<typeof wifiResult>[0];
export type RawGateway = Parameters<typeof gatewayResult>[0];
export type RawPath = Parameters<typeof pathResult>[1];
export type RawSession = Parameters<typeof sessionResult>[0];
type Hop = Extract<RawPath, { value: unknown }>['value']['hops'][number];

/** Turns a loss ratio into whole lost probes, so that over time exactly that share is lost. */
export interface LossMeter {
  take(ratio: number, sent: number): number;
}

export function createLossMeter(): LossMeter {
  let owed = 0;
  return {
    take(ratio, sent) {
      if (ratio === 0) {
        owed = 0;
        return 0;
      }
      owed += ratio * sent;
      const lost = Math.min(sent, Math.floor(owed));
      owed -= lost;
      return lost;
    },
  };
}

const known = <T>(value: T): { value: T } => ({ value });
const lacking = <C extends string>(unavailable: C): { unavailable: C } => ({ unavailable });

/** As cards that tell percent do it: -50 dBm is full, -100 dBm nothing. */
const percentOf = (rssiDbm: number): number => Math.max(0, Math.min(100, Math.round(2 * (rssiDbm + 100)) - 9));

/** A radio of which nothing but its kind is known, and why. */
const unread = (connection: RawWifi['connection'], name: string, why: 'wired' | 'permission'): RawWifi => {
  const none = lacking(why);
  return {
    connection,
    interfaceName: known(name),
    rssiDbm: none,
    signalPercent: none,
    noiseDbm: none,
    snrDb: none,
    linkRateMbps: none,
    channel: none,
    frequencyMhz: none,
    band: none,
    ssid: none,
  };
};

export function rawWifi(device: Device, { wifi }: Conditions): RawWifi {
  if (!wifi) return unread('wired', 'eth0', 'wired');
  if (device.withoutLocation) return unread('wifi', 'wlan0', 'permission');
  const dbm = device.percentOnly ? lacking('not_supported') : undefined;
  return {
    connection: 'wifi',
    interfaceName: known('wlan0'),
    rssiDbm: dbm ?? known(wifi.rssiDbm),
    signalPercent: known(percentOf(wifi.rssiDbm)),
    noiseDbm: dbm ?? known(wifi.noiseDbm),
    snrDb: dbm ?? known(wifi.rssiDbm - wifi.noiseDbm),
    linkRateMbps: known(wifi.linkRateMbps),
    channel: known(44),
    frequencyMhz: known(5220),
    band: known('5'),
    ssid: known(device.ssid),
  };
}

export interface Probing {
  /** Probes of one reading. */
  probes: number;
  loss: LossMeter;
}

export function rawGateway(device: Device, { gateway }: Conditions, { probes, loss }: Probing): RawGateway {
  if (!gateway || device.gateway === null) return lacking('tunnel');
  const lost = loss.take(gateway.lossRatio, probes);
  const rttMs = gateway.rttMs;
  return known({
    address: device.gateway,
    addressClass: 'private',
    family: 4,
    interfaceName: device.connection === 'wifi' ? 'wlan0' : 'eth0',
    method: 'icmp',
    reachable: lost < probes,
    sent: probes,
    lost,
    lossRatio: lost / probes,
    rttsMs: [rttMs],
    rttAvgMs: rttMs,
    rttMinMs: rttMs * 0.8,
    rttMaxMs: rttMs * 1.7,
    durationMs: probes * 100,
  });
}

/** Milliseconds that each hop behind the provider's edge adds. */
const BEYOND_MS = [2.1, 3.4, 1.2] as const;

interface HopAnswers {
  address: string;
  rttMs: number;
  sent: number;
  lost: number;
}

const hopOf = (hop: number, { address, rttMs, sent, lost }: HopAnswers): Hop => ({
  hop,
  address,
  isPublic: hop > 1,
  segment: hop === 1 ? 'local' : hop === 2 ? 'isp-edge' : 'beyond',
  sent,
  received: sent - lost,
  rttAvgMs: rttMs,
  rttMinMs: rttMs * 0.9,
  rttMaxMs: rttMs * 1.4,
  lossRatio: lost / sent,
  countedLost: lost,
});

export function rawPath(device: Device, conditions: Conditions, target: { name: string; probing: Probing }): RawPath {
  const { gateway, isp } = conditions;
  if (!gateway || !isp || device.gateway === null) return lacking('tunnel');
  const { probes, loss } = target.probing;
  const lost = Math.min(probes - 1, loss.take(isp.lossRatio, probes));
  const round = { sent: probes, lost };
  const first = { sent: probes, lost: Math.min(lost, Math.round(gateway.lossRatio * probes)) };
  let rttMs = isp.rttMs;
  const hops = [
    hopOf(1, { address: device.gateway, rttMs: gateway.rttMs, ...first }),
    hopOf(2, { address: device.ispEdge, rttMs, ...round }),
  ];
  for (const [at, addedMs] of BEYOND_MS.entries()) {
    rttMs += addedMs;
    const onward = at === 0 ? round : { sent: probes, lost: Math.max(lost, Math.round(conditions.beyond.lossRatio * probes)) };
    hops.push(hopOf(3 + at, { address: `192.0.2.${10 + at}`, rttMs, ...onward }));
  }
  const last = { local: 0, 'isp-edge': 1, beyond: hops.length - 1 } as const;
  const segments = Object.entries(last).map(([segment, at]) => {
    const { hop, rttAvgMs, sent, countedLost } = hops[at] as Hop;
    return {
      segment: segment as keyof typeof last,
      hop,
      rttAvgMs: rttAvgMs ?? 0,
      sent,
      lost: countedLost,
      lossRatio: countedLost / sent,
    };
  });
  return known({
    target: target.name,
    address: '192.0.2.12',
    family: 4,
    method: 'icmp',
    reached: true,
    hops,
    segments,
    sent: probes * hops.length,
    durationMs: probes * 1000,
  });
}

export function rawSession(url: string, at: number, { sessions, isp }: Conditions): RawSession {
  const { baseMs, stretch } = sessions;
  const roundTripMs = (isp?.rttMs ?? 20) + 7;
  const serverMs = sessions.serverMs[at] ?? 0;
  const spread = 1 + at * 0.12;
  const usualMs = baseMs * stretch * spread + serverMs;
  const totalMs = usualMs + sessions.dnsMs;
  const connectMs = Math.min(usualMs * 0.2, roundTripMs);
  const tlsMs = Math.min(usualMs * 0.3, roundTripMs * 2);
  const dnsMs = Math.min(usualMs * 0.1, 6 * stretch) + sessions.dnsMs;
  const ttfbMs = (totalMs - connectMs - tlsMs - dnsMs) * 0.8;
  const answered: RawSession = {
    url,
    success: true,
    status: 200,
    dnsMs,
    connectMs,
    tlsMs,
    ttfbMs,
    totalMs,
    redirects: 0,
    bytes: 48_200 + 1000 * at,
    family: 4,
    serverPort: 443,
    viaProxy: false,
    attempts: [],
    errorPhase: null,
    error: null,
  };
  const { refusal } = sessions;
  if (refusal === null || at > 0) return answered;
  const refused = { success: false, status: null, ttfbMs: null, totalMs: dnsMs + connectMs + tlsMs, bytes: 0 };
  return { ...answered, ...refused, errorPhase: 'tls', error: refusal };
}
