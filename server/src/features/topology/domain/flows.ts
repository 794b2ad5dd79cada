/** One series of `obi.network.flow.bytes`, by what its labels say. */
export interface Flow {
  sender: string;
  receiver: string;
  /** Whether it is what a client sends or what it is answered; '' without a word about it. */
  way: 'request' | 'response' | '';
  /** Where it was seen: OBI may report one flow where it leaves and where it comes in. */
  seen: string;
  delta: boolean;
}

type Labels = (name: string) => string;

/** Where Linux and IANA let the ports of clients begin. */
export const FIRST_CLIENT_PORT = 32_768;

const endOf = (labels: Labels, end: 'src' | 'dst'): string =>
  [`k8s.${end}.owner.name`, `${end}.name`, `k8s.${end}.name`, `${end}.address`].map(labels).find((name) => name !== '') ?? '';

function portOf(labels: Labels, name: string): number {
  const text = labels(name);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 65_535 ? 0 : port;
}

/** As WAY_OF_FLOW in edge-sql.ts. */
function wayOf(labels: Labels): Flow['way'] {
  const told = labels('direction');
  if (told === 'request' || told === 'response') return told;
  const src = portOf(labels, 'src.port');
  const dst = portOf(labels, 'dst.port');
  const server = portOf(labels, 'server.port');
  const client = portOf(labels, 'client.port');
  if (src === dst) return '';
  if (server !== 0 && (server === src || server === dst)) return server === dst ? 'request' : 'response';
  if (client !== 0 && (client === src || client === dst)) return client === src ? 'request' : 'response';
  if (dst === 0) return src >= FIRST_CLIENT_PORT ? 'request' : 'response';
  if (src === 0) return dst >= FIRST_CLIENT_PORT ? 'response' : 'request';
  return src > dst ? 'request' : 'response';
}

/** `labels` gives '' for what a series does not have. Undefined where the two ends are not named, or are the same. */
export function flowOf(labels: Labels, kind: string): Flow | undefined {
  const [sender, receiver] = [endOf(labels, 'src'), endOf(labels, 'dst')];
  if (sender === '' || receiver === '' || sender === receiver) return undefined;
  const seen = labels('iface.direction') || labels('direction');
  return { sender, receiver, way: wayOf(labels), seen, delta: kind === 'delta' };
}

/** Unix milliseconds and the counter's value then. */
export type FlowPoint = readonly [at: number, value: number];

const MINUTE_MS = 60_000;
const KINDS = { request: 'request', response: 'reply', '': 'flow' } as const;

interface Grown {
  source: string;
  target: string;
  kind: 'request' | 'reply' | 'flow';
  bytes: number;
}

/**
 * Bytes by the minute between two ends, by how much their counters grew; a counter that fell began again at 0, a first point only says where
 * it stands. Of a reply the source is the end that asked. Of one flow seen in several places the larger sum of a minute counts.
 */
export class FlowMinutes {
  private readonly window: { from: number; to: number };
  /** By minute, edge and place where it was seen. */
  private readonly seen = new Map<string, Map<string, Grown>>();

  /** Minutes since 1970, the end exclusive. */
  constructor(window: { from: number; to: number }) {
    this.window = window;
  }

  /** Points of one series in order of time, each once. */
  add(flow: Flow, points: readonly FlowPoint[]): void {
    for (const [i, [at, value]] of points.entries()) {
      const before = points[i - 1]?.[1];
      const since = before === undefined || value < before ? 0 : before;
      const grew = flow.delta ? value : before === undefined ? 0 : value - since;
      const minute = Math.floor(at / MINUTE_MS);
      if (minute >= this.window.from && minute < this.window.to) this.put(flow, { minute, grew });
    }
  }

  private put({ sender, receiver, way, seen }: Flow, { minute, grew }: { minute: number; grew: number }): void {
    const answers = way === 'response';
    const [source, target] = answers ? [receiver, sender] : [sender, receiver];
    const key = [minute, way, source, target].join('\n');
    const places = this.seen.get(key) ?? new Map<string, Grown>();
    this.seen.set(key, places);
    const grown = places.get(seen) ?? { source, target, kind: KINDS[way], bytes: 0 };
    places.set(seen, grown);
    grown.bytes += grew;
  }

  *sums(): Generator<Grown> {
    for (const places of this.seen.values()) {
      const [largest] = [...places.values()].sort((a, b) => b.bytes - a.bytes);
      if (largest && largest.bytes > 0) yield largest;
    }
  }
}
