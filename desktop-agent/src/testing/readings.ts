import type { WifiReading } from '@svc/native/wifi/wifi';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathHop, PathMeasurement } from '@svc/probes/path';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';

/** Measurements of a healthy device, to be changed where a test needs a fault. */
const none = { unavailable: 'not_supported' } as const;

export const wifi = (change: Partial<WifiReading> = {}): WifiReading => ({
  connection: 'wifi',
  interfaceName: { value: 'wlan0' },
  rssiDbm: { value: -55 },
  signalPercent: none,
  noiseDbm: { value: -95 },
  snrDb: { value: 40 },
  linkRateMbps: { value: 400 },
  channel: { value: 36 },
  frequencyMhz: { value: 5180 },
  band: { value: '5' },
  ssid: { value: 'Lab' },
  ...change,
});

export const gateway = (change: Partial<GatewayMeasurement> = {}): { value: GatewayMeasurement } => ({
  value: {
    address: '192.168.1.1',
    addressClass: 'private',
    family: 4,
    interfaceName: 'wlan0',
    method: 'icmp',
    reachable: true,
    sent: 10,
    lost: 0,
    lossRatio: 0,
    rttsMs: [],
    rttAvgMs: 3,
    rttMinMs: 2,
    rttMaxMs: 4,
    durationMs: 2000,
    ...change,
  },
});

export const hop = (change: Partial<PathHop>): PathHop => ({
  hop: 1,
  address: '192.168.1.1',
  isPublic: false,
  segment: 'local',
  sent: 10,
  received: 10,
  rttAvgMs: 3,
  rttMinMs: 2,
  rttMaxMs: 4,
  lossRatio: 0,
  countedLost: 0,
  ...change,
});

/** Gateway, a public hop and the target; `edge` changes the public hop. */
export const path = (edge: Partial<PathHop> = {}, target = '203.0.113.10'): { value: PathMeasurement } => {
  // What the edge loses is lost behind it as well.
  const loss = edge.countedLost === undefined ? {} : { countedLost: edge.countedLost, received: 10 - edge.countedLost };
  const second = hop({ hop: 2, address: '203.0.113.1', isPublic: true, segment: 'isp-edge', rttAvgMs: 12, ...loss, ...edge });
  const third = hop({ hop: 3, address: target, isPublic: true, segment: 'beyond', rttAvgMs: second.rttAvgMs, ...loss });
  return {
    value: {
      target,
      address: target,
      family: 4,
      method: 'udp',
      reached: true,
      hops: [hop({}), second, third],
      segments: [
        { segment: 'local', hop: 1, rttAvgMs: 3, sent: 10, lost: 0, lossRatio: 0 },
        {
          segment: 'isp-edge',
          hop: 2,
          rttAvgMs: second.rttAvgMs ?? 0,
          sent: second.sent,
          lost: second.countedLost,
          lossRatio: second.countedLost / second.sent,
        },
      ],
      sent: 30,
      durationMs: 10_000,
    },
  };
};

export const session = (change: Partial<SessionMeasurement> = {}): SessionMeasurement => ({
  url: 'https://crm.example/',
  success: true,
  status: 200,
  dnsMs: 5,
  connectMs: 12,
  tlsMs: 20,
  ttfbMs: 80,
  totalMs: 120,
  redirects: 0,
  bytes: 1000,
  family: 4,
  serverPort: 443,
  viaProxy: false,
  attempts: [],
  errorPhase: null,
  error: null,
  ...change,
});

export const resolver = (change: Partial<ResolverMeasurement> = {}): ResolverMeasurement => ({
  server: '192.168.1.1',
  isPrivate: true,
  success: true,
  sent: 3,
  lost: 0,
  lossRatio: 0,
  rttsMs: [],
  rttAvgMs: 4,
  rttMedianMs: 4,
  responseCode: 'NOERROR',
  answers: [{ name: 'crm.example', code: 'NOERROR', addresses: ['203.0.113.10'] }],
  invalidAddresses: [],
  lies: null,
  ...change,
});
