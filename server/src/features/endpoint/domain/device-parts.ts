import { LEAST_USUAL_SESSIONS, otherOf } from '@svc/contracts/endpoint/session-phases';
import type { DeviceView } from '@svc/contracts/endpoint/view';
import { blamedBefore } from '@svc/contracts/judged/read-verdict';
import { ATTRIBUTES, SEGMENTS } from '@svc/contracts/results/endpoint-results';
import { CAUSES, LAYERS } from '@svc/contracts/verdict';

/** The fields of a result that a device page is made of. */
export interface DeviceResult {
  type: string;
  /** Tells the results of one type apart; '' where there is no target. */
  target: string;
  success?: boolean;
  error?: string;
  startedAtMs: number;
  present: boolean;
  metrics: Record<string, number>;
  attributes: Record<string, string>;
}

type Hop = DeviceView['paths'][number]['hops'][number];
type SessionView = DeviceView['sessions'][number];

const MAX_HOPS = 64;
const MAX_NOT_SHOWN = 100;

const metric = (result: DeviceResult, key: string): number | null => result.metrics[key] ?? null;
const attribute = (result: DeviceResult, key: string): string | null => result.attributes[key] ?? null;
const toInstant = (ms: number): string => new Date(ms).toISOString();

/** Scores of the four layers, as far as the walk went: one behind the layer at fault was not judged. */
export function readLayers(attribution: DeviceResult | undefined): DeviceView['layers'] {
  const cause = CAUSES.find((one) => one === attribution?.attributes[ATTRIBUTES.cause]) ?? 'none';
  return LAYERS.map((layer) => {
    const score = attribution?.metrics[`score.${layer}`] ?? null;
    const unavailable = score === null ? (attribution?.attributes[`unavailable.score.${layer}`] ?? null) : null;
    const behind = blamedBefore(cause, layer);
    return { layer, score: behind === null ? score : null, unavailable, behind };
  });
}

function readHop(path: DeviceResult, hop: number): Hop {
  const segment = path.attributes[`hop.${hop}.segment`];
  return {
    hop,
    segment: SEGMENTS.find((name) => name === segment) ?? null,
    address: attribute(path, `hop.${hop}.address`),
    unavailable: attribute(path, `unavailable.hop.${hop}.address`),
    rtt_ms: metric(path, `hop.${hop}.rtt.avg.ms`),
    loss_ratio: metric(path, `hop.${hop}.packet.loss.ratio`),
  };
}

function countHops(path: DeviceResult): number {
  const numbers = [...Object.keys(path.metrics), ...Object.keys(path.attributes)].map((key) =>
    Number(/^hop\.(\d{1,2})\./.exec(key)?.[1] ?? 0),
  );
  return Math.min(MAX_HOPS, Math.max(path.metrics.hops ?? 0, ...numbers));
}

/** A path hop by hop, silent ones included. */
export const readPath = (path: DeviceResult): DeviceView['paths'][number] => ({
  target: path.target,
  measured_at: toInstant(path.startedAtMs),
  protocol: attribute(path, ATTRIBUTES.traceProtocol),
  reached: path.attributes[ATTRIBUTES.traceReached] === 'true',
  packets_sent: metric(path, 'packets.sent'),
  hops: Array.from({ length: countHops(path) }, (_, index) => readHop(path, index + 1)),
});

/** Sessions to one target over some time; times are of those that succeeded. */
export interface SessionSums {
  count: number;
  failed: number;
  phases: { phase: string | null; count: number }[];
  medianMs: number | null;
  worstMs: number | null;
}

const NO_SUMS: SessionSums = { count: 0, failed: 0, phases: [], medianMs: null, worstMs: null };

/** Sums of one target in the window and in the days before it; undefined where there was no session. */
export interface SessionPast {
  shown: SessionSums | undefined;
  earlier: SessionSums | undefined;
}

export function readSession(session: DeviceResult, { shown = NO_SUMS, earlier = NO_SUMS }: SessionPast): SessionView {
  const times = {
    dns_ms: metric(session, 'dns.ms'),
    connect_ms: metric(session, 'connect.ms'),
    tls_ms: metric(session, 'tls.ms'),
    ttfb_ms: metric(session, 'ttfb.ms'),
    total_ms: metric(session, 'total.ms'),
  };
  const succeeded = earlier.count - earlier.failed;
  return {
    target: session.target,
    role: attribute(session, ATTRIBUTES.sessionRole),
    measured_at: toInstant(session.startedAtMs),
    success: session.success ?? session.present,
    error: session.error ?? null,
    error_phase: attribute(session, ATTRIBUTES.errorPhase),
    status: attribute(session, ATTRIBUTES.statusCode),
    ...times,
    other_ms: otherOf(times),
    redirects: metric(session, 'redirects'),
    window: {
      ...{ count: shown.count, failed: shown.failed, phases: shown.phases },
      ...{ median_ms: shown.medianMs, worst_ms: shown.worstMs },
    },
    usual_ms: succeeded >= LEAST_USUAL_SESSIONS ? earlier.medianMs : null,
    usual_count: succeeded,
  };
}

/** Every field that a newest result says it could not give, once, with the reason. */
export function listNotShown(results: readonly DeviceResult[]): DeviceView['not_shown'] {
  const found = new Map<string, string>();
  for (const { type, attributes } of results) {
    for (const [key, code] of Object.entries(attributes)) {
      // A withheld hop is drawn on the path itself.
      if (key.startsWith('unavailable.') && !key.startsWith('unavailable.hop.')) {
        found.set(`${type}.${key.slice('unavailable.'.length)}`, code);
      }
    }
  }
  return [...found].slice(0, MAX_NOT_SHOWN).map(([field, code]) => ({ field, code }));
}

export const readCost = (own: DeviceResult | undefined): DeviceView['cost'] => ({
  cpu_ratio: own?.metrics['cpu.ratio'] ?? null,
  rss_bytes: own?.metrics['memory.rss.bytes'] ?? null,
  sent_bytes_day: own?.metrics['sent.bytes'] ?? null,
});
