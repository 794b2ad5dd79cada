import { addDurations, type Durations, quantileMs } from './quantile.ts';

export type NodeKind = 'service' | 'database' | 'queue' | 'host';
export type EdgeKind = 'call' | 'message' | 'database' | 'queue' | 'host' | 'flow';

/** What is stored of a pair over a window, summed up. */
export interface EdgeSum {
  source: string;
  target: string;
  /** `request` and `reply`: bytes that the source sent or was sent, where a flow says which end asked; `flow` where it does not. */
  kind: EdgeKind | 'entry' | 'unseen' | 'service' | 'nameless' | 'request' | 'reply';
  calls: number;
  errors: number;
  durations: Durations;
  bytes: number;
}

interface Measures {
  calls: number;
  errors: number;
  /** Calls a second. */
  rate: number;
  /** 0 to 1; null without calls. */
  error_ratio: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface MapNode extends Measures {
  id: string;
  name: string;
  kind: NodeKind;
  bytes_in: number;
  bytes_out: number;
}

export interface MapEdge extends Measures {
  source: string;
  target: string;
  kind: EdgeKind;
  /** Both ways, where flows were seen between the two. */
  bytes: number;
}

export interface ServiceMap {
  nodes: MapNode[];
  edges: MapEdge[];
}

interface Sum {
  calls: number;
  errors: number;
  durations: Map<number, number>;
}

interface EdgeInWork extends Sum {
  source: string;
  target: string;
  kind: EdgeKind;
  bytes: number;
}

interface NodeInWork extends Sum {
  name: string;
  kind: NodeKind;
  bytesIn: number;
  bytesOut: number;
}

const emptySum = (): Sum => ({ calls: 0, errors: 0, durations: new Map() });

function add(into: Sum, more: { calls: number; errors: number; durations: Durations }): void {
  into.calls += more.calls;
  into.errors += more.errors;
  addDurations(into.durations, more.durations);
}

const measure = ({ calls, errors, durations }: Sum, seconds: number): Measures => ({
  calls,
  errors,
  rate: seconds > 0 ? calls / seconds : 0,
  error_ratio: calls > 0 ? errors / calls : null,
  p50_ms: quantileMs(durations, 0.5),
  p95_ms: quantileMs(durations, 0.95),
});

/** `orders:8080` and `orders.shop.svc.cluster.local` are the service orders, where there is one of that name. */
function serviceNamed(peer: string, services: ReadonlySet<string>): string | undefined {
  const host = peer.replace(/:\d+$/, '');
  return [peer, host, /\.svc(\.|$)/.test(host) ? (host.split('.')[0] ?? '') : ''].find((name) => services.has(name));
}

export const isFlow = ({ kind }: Pick<EdgeSum, 'kind'>): boolean => kind === 'flow' || kind === 'request' || kind === 'reply';

const SEEN_FROM_INSIDE: ReadonlySet<string> = new Set(['call', 'message', 'entry', 'unseen', 'service']);
const KIND_OF_TARGET: Readonly<Record<EdgeKind, NodeKind>> = {
  call: 'service',
  message: 'service',
  database: 'database',
  queue: 'queue',
  host: 'host',
  flow: 'host',
};
/** What a node without spans of its own counts is what its callers say. */
const TOLD_BY_CALLERS: ReadonlySet<NodeKind> = new Set(['database', 'queue', 'host']);

/** Nodes and edges out of the sums; names that services, hosts and flows use for the same thing become one node. */
export function buildMap(sums: readonly EdgeSum[], seconds: number): ServiceMap {
  const services = new Set<string>();
  for (const sum of sums) {
    if (SEEN_FROM_INSIDE.has(sum.kind)) services.add(sum.target);
    if (!isFlow(sum) && sum.source !== '') services.add(sum.source);
  }
  const nodes = new Map<string, NodeInWork>();
  const edges = new Map<string, EdgeInWork>();
  const nodeOf = (name: string, kind: NodeKind): string => {
    const service = kind === 'host' ? serviceNamed(name, services) : undefined;
    const [known, node] = service === undefined ? [kind, name] : (['service', service] as const);
    const id = `${known}:${node}`;
    if (!nodes.has(id)) nodes.set(id, { name: node, kind: known, bytesIn: 0, bytesOut: 0, ...emptySum() });
    return id;
  };
  const edgeOf = (source: string, target: string, kind: EdgeKind): EdgeInWork => {
    const id = `${source}\n${target}\n${kind}`;
    const edge = edges.get(id) ?? { source, target, kind, bytes: 0, ...emptySum() };
    edges.set(id, edge);
    return edge;
  };
  for (const sum of sums) {
    if (isFlow(sum)) continue;
    if (sum.kind === 'nameless') {
      nodeOf(sum.source, 'service');
      continue;
    }
    if (sum.source === '') {
      const id = nodeOf(sum.target, 'service');
      if (sum.kind !== 'service') add(nodes.get(id) ?? emptySum(), sum);
      continue;
    }
    const kind = sum.kind as EdgeKind;
    const [source, target] = [nodeOf(sum.source, 'service'), nodeOf(sum.target, KIND_OF_TARGET[kind])];
    const node = nodes.get(target);
    // A host that turned out to be a service without a span for this call: its own spans count it already, or it has none.
    if (node && (kind === 'call' || kind === 'message' || TOLD_BY_CALLERS.has(node.kind))) add(node, sum);
    if (source !== target) add(edgeOf(source, target, kind === 'host' && node?.kind === 'service' ? 'call' : kind), sum);
  }
  addFlows(sums, { nodes, edges, nodeOf, edgeOf });
  return {
    nodes: [...nodes].map(([id, node]) => ({
      id,
      name: node.name,
      kind: node.kind,
      ...measure(node, seconds),
      bytes_in: node.bytesIn,
      bytes_out: node.bytesOut,
    })),
    edges: [...edges.values()].map((edge) => ({
      source: edge.source,
      target: edge.target,
      kind: edge.kind,
      ...measure(edge, seconds),
      bytes: edge.bytes,
    })),
  };
}

interface Work {
  nodes: Map<string, NodeInWork>;
  edges: Map<string, EdgeInWork>;
  nodeOf: (name: string, kind: NodeKind) => string;
  edgeOf: (source: string, target: string, kind: EdgeKind) => EdgeInWork;
}

/**
 * Bytes go onto the edge that spans tell of, in either direction; two ends without spans get an edge of their own, from who asked, and
 * where no flow says who did, from who sent more.
 */
function addFlows(sums: readonly EdgeSum[], { nodes, edges, nodeOf, edgeOf }: Work): void {
  // Spans name a database or host with its port, flows without.
  const byHost = new Map([...nodes].map(([id, { name }]) => [name.replace(/:\d+$/, ''), id]));
  const endOf = (name: string): string => byHost.get(name) ?? nodeOf(name, 'host');
  const byPair = new Map<string, EdgeInWork>();
  for (const edge of edges.values()) byPair.set(`${edge.source}\n${edge.target}`, edge);
  const isBlind = ({ kind }: EdgeSum): number => Number(kind === 'flow');
  const flows = sums.filter(isFlow).toSorted((a, b) => isBlind(a) - isBlind(b) || b.bytes - a.bytes);
  for (const { source, target, kind, bytes } of flows) {
    const [from, to] = [endOf(source), endOf(target)];
    if (from === to) continue;
    const [sender, receiver] = kind === 'reply' ? [nodes.get(to), nodes.get(from)] : [nodes.get(from), nodes.get(to)];
    if (sender) sender.bytesOut += bytes;
    if (receiver) receiver.bytesIn += bytes;
    const edge = byPair.get(`${from}\n${to}`) ?? byPair.get(`${to}\n${from}`) ?? edgeOf(from, to, 'flow');
    byPair.set(`${edge.source}\n${edge.target}`, edge);
    edge.bytes += bytes;
  }
}
