import type { DeepTestView } from '@svc/contracts/agent/deep-test';
import {
  AboutView,
  DisclosureView,
  HelpdeskView,
  type LedgerEntry,
  LedgerPage,
  LedgerResult,
  ServiceState,
  type VerdictView,
} from '@svc/contracts/agent/ipc';
import { type FaultFact, faultFact } from '@svc/contracts/judged/fault';
import { LAYERS, type UnavailableCode } from '@svc/contracts/verdict';

/** 21 November 2026, 14:06 in Lisbon. */
export const NOW = Date.UTC(2026, 10, 21, 14, 6);
export const ago = (minutes: number): number => NOW - minutes * 60_000;

type Score = number | UnavailableCode;

export function verdict(cause: VerdictView['cause'], scores: readonly Score[], fault: FaultFact | null = null): VerdictView {
  const isLoss = fault?.kind === 'gateway_loss' || fault?.kind === 'isp_loss';
  const loss = { value: 0.12, limit: 0.02, samples: 50, failed: 6, target: null };
  const isMissing = (index: number): boolean => typeof (scores[index] ?? 'no_target') !== 'number';
  const needed = LAYERS.filter((_, index) => scores[index] !== 'wired');
  return {
    atMs: ago(0),
    cause,
    fault,
    decided: isLoss ? { measure: `${cause === 'isp' ? 'isp' : 'gateway'}_loss_ratio`, ...loss } : null,
    coverage: { needed, measured: needed.filter((layer) => !isMissing(LAYERS.indexOf(layer))) },
    flips: 0,
    confidence: 0.96,
    sinceMs: ago(324),
    layers: LAYERS.map((layer, index) => {
      const score = scores[index] ?? 'no_target';
      const measured = typeof score === 'number';
      return {
        layer,
        score: measured ? score : null,
        unavailable: measured ? null : score,
      };
    }),
  };
}

const value = (number: number) => ({ value: number, unavailable: null });
const none = (unavailable: UnavailableCode) => ({ value: null, unavailable });

const hop = (number: number, segment: 'local' | 'isp-edge' | 'beyond', over: object = {}) => ({
  hop: number,
  segment,
  address: `198.51.100.${number}`,
  shared: segment === 'local',
  rttMs: 36 + number * 4,
  lossRatio: 0.021,
  ...over,
});

export const path = (target = 'crm') => ({
  target,
  atMs: ago(1),
  reached: true,
  hops: [
    hop(1, 'local', { address: '10.20.3.1' }),
    hop(2, 'local', { address: '10.20.0.1' }),
    hop(3, 'isp-edge'),
    hop(4, 'beyond', { address: null, rttMs: null, lossRatio: 1, segment: null }),
    hop(5, 'beyond', { lossRatio: 0.3 }),
    hop(6, 'beyond', { shared: true }),
  ],
});

export const session = (target: string, [totalMs, typicalMs]: readonly [number | null, number | null], over: object = {}) => ({
  target,
  role: 'target' as const,
  atMs: ago(2),
  success: true,
  error: null,
  totalMs,
  typicalMs,
  ...over,
});

/** A deeper test that found a queue on the line and loss behind the provider's edge. */
export const deepTest = (change: Partial<DeepTestView> = {}): DeepTestView => ({
  running: false,
  startedMs: ago(0) - 12_000,
  endsMs: ago(0) + 18_000,
  done: ['line', 'mtu', 'pings', 'path'],
  failed: false,
  line: {
    idleMs: 24,
    upload: { bytes: 4_100_000, tookMs: 3500, echoMs: 480 },
    download: { bytes: 5_000_000, tookMs: 900, echoMs: 61 },
    fault: null,
  },
  mtu: [
    { host: 'monitor.example', mtuBytes: 1500, lostBytes: null, isBlackHole: false },
    { host: 'crm.example', mtuBytes: 1400, lostBytes: 1412, isBlackHole: true },
  ],
  pings: { sent: 25, received: 25, medianMs: 3.2, worstMs: 41, unavailable: null },
  path: {
    target: 'crm.example',
    hops: 9,
    reached: true,
    edgeHop: 3,
    rttMs: 28,
    lossHop: 4,
    lossRatio: 0.2,
    delayHop: null,
    delayMs: null,
    unavailable: null,
  },
  ...change,
});

const hours = (...parts: [count: number, hour: string][]): string[] =>
  parts.flatMap(([count, hour]) => Array.from({ length: count }, () => hour));

/** The state of the mock: weak Wi-Fi since 08:42. */
export const weakWifi = (): ServiceState =>
  ServiceState.parse({
    state: 'running',
    server: 'svc.fennmark.example:8443',
    organisation: 'Fennmark IT',
    connected: true,
    problem: null,
    offlineSinceMs: null,
    waiting: 0,
    dropped: 0,
    pausedUntilMs: null,
    maxPauseMinutes: 1440,
    disclosure: 'shown',
    mustAccept: false,
    missingPermissions: [],
    verdict: verdict('wifi', [28, 61, 92, 94], faultFact({ kind: 'wifi_signal', value: -79 })),
    wifi: { rssiDbm: value(-79), signalPercent: none('not_supported'), ssid: 'office' },
    gateway: { rttMs: value(38), lossRatio: value(0.021) },
    paths: [path()],
    sessions: [
      session('https://crm/', [4812, 402]),
      session('https://mail/', [2190, 331]),
      session('https://video/', [1702, 290]),
    ],
    strip: hours([5, 'none'], [13, 'asleep'], [1, 'none'], [3, 'wifi'], [1, 'asleep'], [1, 'wifi']),
    context: { onBattery: false, metered: null, vpn: false, captivePortal: null, resumed: false },
    test: null,
  });

export const state = (over: Partial<ServiceState> = {}): ServiceState => ServiceState.parse({ ...weakWifi(), ...over });

export const healthy = (over: Partial<ServiceState> = {}): ServiceState =>
  state({
    verdict: { ...verdict('none', [94, 97, 92, 95]), sinceMs: ago(600) },
    paths: [{ ...path(), hops: path().hops.map((one) => ({ ...one, lossRatio: one.address === null ? 1 : 0 })) }],
    sessions: [session('https://crm/', [398, 402]), session('https://mail/', [331, 331]), session('https://video/', [280, null])],
    strip: hours([6, 'none'], [12, 'asleep'], [6, 'none']) as ServiceState['strip'],
    ...over,
  });

export const nothingMeasurable = (): ServiceState =>
  state({
    verdict: null,
    wifi: { rssiDbm: none('wired'), signalPercent: none('wired'), ssid: null },
    gateway: { rttMs: none('tunnel'), lossRatio: none('tunnel') },
    paths: [],
    sessions: [],
    strip: hours([24, 'asleep']) as ServiceState['strip'],
    context: { onBattery: null, metered: null, vpn: true, captivePortal: null, resumed: true },
  });

const LONG = 'Verwaltungsgemeinschaft-Oberbayerischer-Wasserversorgungszweckverbände-Rechenzentrum-Süd';
export const longNames = (): ServiceState =>
  state({
    organisation: `${LONG} und Partner`,
    verdict: verdict(
      'network',
      [91, 90, 88, 12],
      faultFact({
        kind: 'service_unreachable',
        target: `https://${LONG.toLowerCase()}.example.test/anmeldung/startseite`,
        code: 'ETIMEDOUT',
      }),
    ),
    paths: [{ ...path(`${LONG}.example.test`), reached: false, hops: [] }, path('198.51.100.7'), path('2001:db8::8')],
    sessions: [
      session(`https://${LONG.toLowerCase()}.example.test/`, [null, null], {
        success: false,
        error: `tls: certificate of ${LONG} expired`,
        totalMs: null,
      }),
      ...Array.from({ length: 11 }, (_, index) =>
        session(`https://service-${index}.${LONG.toLowerCase()}.test/`, [300 + index * 9000, 290]),
      ),
      session('https://svc.fennmark.example:8443/', [120, 110], { role: 'control_plane' }),
    ],
  });

const item = (name: string, over: object = {}) => ({
  item: name,
  on: true,
  decidedBy: 'policy',
  yours: false,
  everySeconds: null,
  targets: [],
  last: null,
  ...over,
});
const last = (text: string) => ({ text, atMs: ago(0) });
const SERVICES = ['https://crm/', 'https://mail/', 'https://video/', 'https://wiki/', 'https://files/'];

export const disclosure = (over: Partial<DisclosureView> = {}): DisclosureView =>
  DisclosureView.parse({
    id: 'first',
    policyVersion: 14,
    policyAtMs: Date.UTC(2026, 10, 3, 9),
    server: 'svc.fennmark.example:8443',
    organisation: 'Fennmark IT',
    readers: 4,
    keptDays: 30,
    items: [
      item('wifi', { everySeconds: 60, last: last('-79 dBm') }),
      item('ssid', { on: false }),
      item('gateway', { everySeconds: 60, last: last('38 ms, 2.1 %') }),
      item('path', { everySeconds: 300, targets: SERVICES.map((url) => new URL(url).host), last: last('6 hops') }),
      item('session', { everySeconds: 300, targets: SERVICES, last: last('crm 4.8 s') }),
      item('resolver', { everySeconds: 300, decidedBy: 'default', last: last('11 ms') }),
      item('gatewayIp', { yours: true, decidedBy: 'default', last: last('10.20.3.1') }),
      item('publicHops', { on: false, decidedBy: 'device' }),
      item('deviceName', { yours: true, on: false, decidedBy: 'you' }),
      item('hostFacts', { yours: true, decidedBy: 'you', last: last('Windows 11, Latitude-7440') }),
      item('context', { last: last('on mains') }),
      item('agent', { everySeconds: 300, decidedBy: 'default', last: last('0.02 % of a core, 78 MB') }),
    ],
    ...over,
  });

export const about = (over: Partial<AboutView> = {}): AboutView =>
  AboutView.parse({
    version: '1.4.2',
    protocol: 1,
    agentId: '019a9f3e-6c3d-7a10-b1de-2f7f0a55c0de',
    ring: 'early',
    installedBy: 'self',
    lastUpdateMs: Date.UTC(2026, 10, 12, 7, 30),
    cpuRatio: 0.00022,
    rssBytes: 78_400_000,
    sentBytesDay: 712_000,
    ledgerBytes: 3_100_000,
    stateDir: '/home/marta/.local/state/svc-agent',
    ...over,
  });

export const helpdesk = (): HelpdeskView => {
  const { verdict: present, wifi, gateway, sessions } = weakWifi();
  return HelpdeskView.parse({
    code: 'NOS-7K3M9QX2AB',
    atMs: NOW,
    deviceName: 'LIS-LT-0143',
    verdict: present,
    wifi: { rssiDbm: wifi.rssiDbm, signalPercent: wifi.signalPercent },
    gateway,
    sessions,
    version: '1.4.2',
  });
};

const TYPES = [
  ['endpoint.wifi', 'endpoint.gateway'],
  ['endpoint.lastmile', 'endpoint.session'],
] as const;

/** `count` entries, one a minute, every sixth a path with sessions; `broken` names those changed after they were written. */
export function ledger(count: number, broken: readonly number[] = []): LedgerEntry[] {
  const entries = Array.from({ length: count }, (_, index): LedgerEntry => {
    const far = index % 6 === 1;
    return {
      id: 48_214 - index,
      atMs: ago(index) + (far ? 2000 : 0),
      server: 'svc.fennmark.example:8443',
      types: [...TYPES[far ? 1 : 0]],
      results: 2,
      bytes: far ? 3100 : 411 + (index % 3),
      minimised: far ? 2 : 0,
      intact: !broken.includes(index),
      kind: 'results',
      direction: 'sent',
      receipt: 'signed',
      sha256: index.toString(16).padStart(64, '0'),
    };
  });
  LedgerPage.parse({ entries: entries.slice(0, 200), next: null, total: count, todayBytes: 0, todayEntries: 0, intact: true });
  return entries;
}

const wifiResult = {
  agent_id: '019a9f3e-6c3d-7a10-b1de-2f7f0a55c0de',
  attributes: { 'gateway.address': '10.20.3.1' },
  canary_type: 'endpoint.wifi',
  metrics: { 'rssi.dbm': -79, 'signal.percent': 28 },
  result_id: '019a9f3e-7000-7a10-b1de-000000000001',
  started_at: '2026-11-21T14:05:02.113Z',
};
const hops = { 'hop.1.address': '10.20.3.1', 'hop.2.address': '10.20.0.1' };

/** What an entry holds: one result that left as it was, one with two addresses withheld. */
export const ledgerResults = (): LedgerResult[] =>
  [
    {
      before: JSON.stringify({
        attributes: { ...hops, 'hop.3.address': '203.0.113.9', 'hop.6.address': '198.51.100.7' },
        canary_type: 'endpoint.lastmile',
        metrics: { hops: 6 },
        server_address: 'crm',
      }),
      sent: JSON.stringify({
        attributes: { ...hops, 'unavailable.hop.3.address': 'withheld', 'unavailable.hop.6.address': 'withheld' },
        canary_type: 'endpoint.lastmile',
        metrics: { hops: 6 },
        server_address: 'crm',
      }),
      withheld: ['hop.3.address', 'hop.6.address'],
    },
    { before: JSON.stringify(wifiResult), sent: JSON.stringify(wifiResult), withheld: [] },
  ].map((result) => LedgerResult.parse(result));
