import type { ServiceState, VerdictView } from '@svc/contracts/agent/ipc';
import { faultFact } from '@svc/contracts/judged/fault';
import { ago, healthy, path, session, state, verdict, weakWifi } from './views.ts';

const SINCE_MS = ago(39);

/** As the agent states it: nothing between the two figures of a service that failed. */
const failed = (target: string, error: string, typicalMs: number) =>
  session(target, [null, typicalMs], { success: false, error });

/** A path on which nothing is lost, or from one hop on. */
const hopsWith = (lossFrom: number | null) => [
  {
    ...path(),
    hops: path().hops.map((one) => ({
      ...one,
      lossRatio: one.address === null ? 1 : lossFrom !== null && one.hop >= lossFrom ? 0.2 : 0,
    })),
  },
];

const beyond = (scores: Parameters<typeof verdict>[1], fault: VerdictView['fault'], over: Partial<ServiceState>) =>
  healthy({
    verdict: { ...verdict('network', scores, fault), sinceMs: SINCE_MS, confidence: 0.86 },
    strip: [...healthy().strip.slice(0, -1), 'network'],
    ...over,
  });

/** One state of the window for each of six faults, with the readings that such a fault leaves behind. */
export const FAULTS: Readonly<Record<string, ServiceState>> = {
  'wifi-signal': state({ verdict: { ...verdict('wifi', [28, 61, 92, 94], weakWifi().verdict?.fault ?? null) } }),
  queueing: healthy({
    verdict: { ...verdict('isp', [90, 93, 22, 38], faultFact({ kind: 'queueing', value: 480, usual: 24 })), sinceMs: SINCE_MS },
    strip: [...healthy().strip.slice(0, -1), 'isp'],
    paths: hopsWith(null),
    sessions: [
      session('https://crm/', [2410, 402]),
      session('https://mail/', [2190, 331]),
      session('https://video/', [1980, 290]),
    ],
  }),
  'dns-slow': beyond([90, 93, 91, 12], faultFact({ kind: 'dns_slow', target: 'https://crm/', value: 2940 }), {
    sessions: [
      session('https://crm/', [3310, 402]),
      session('https://mail/', [3240, 331]),
      session('https://video/', [3190, 290]),
    ],
  }),
  certificate: beyond([90, 93, 91, 33], faultFact({ kind: 'certificate', target: 'https://crm/', code: 'CERT_HAS_EXPIRED' }), {
    sessions: [
      failed('https://crm/', 'tls CERT_HAS_EXPIRED', 402),
      session('https://mail/', [344, 331]),
      session('https://video/', [280, 290]),
    ],
  }),
  'path-loss': beyond([90, 93, 91, 20], faultFact({ kind: 'path_loss', target: 'https://crm/', value: 0.2, hop: 5, hops: 6 }), {
    paths: hopsWith(5),
    sessions: [session('https://crm/', [2930, 402]), session('https://mail/', [344, 331]), session('https://video/', [280, 290])],
  }),
  'captive-portal': beyond([88, 93, 'no_reading', 0], faultFact({ kind: 'captive_portal' }), {
    paths: [],
    sessions: ['https://crm/', 'https://mail/', 'https://video/'].map((target) => failed(target, 'request HTTP_511', 402)),
    context: { onBattery: true, metered: null, vpn: false, captivePortal: true, resumed: false },
  }),
};
