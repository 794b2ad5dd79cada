/**
 * What OpenTelemetry eBPF Instrumentation (OBI) sends, as its exporter writes it: names, units, scopes, resources and default attributes are
 * those of github.com/open-telemetry/opentelemetry-ebpf-instrumentation, pkg/export/otel/metrics_net.go (flows), pkg/export/otel/metrics.go
 * (application metrics), pkg/export/otel/tracesgen/tracesgen.go (spans), pkg/export/otel/otelcfg/common.go (resources) and
 * pkg/export/attributes/attr_defs.go (which attributes are on by default under Kubernetes). Written down from the source, not recorded: OBI
 * needs a kernel of its own to run. Requests are in the field names of opentelemetry-proto.
 */
type Value = string | number;

const attribute = (key: string, value: Value) => ({
  key,
  value: typeof value === 'number' ? { int_value: String(value) } : { string_value: value },
});
const attributes = (map: Readonly<Record<string, Value>>) => Object.entries(map).map(([key, value]) => attribute(key, value));
const nano = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n);

const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.19.0';
const SDK = 'opentelemetry-ebpf-instrumentation';
const HOST_ID = '7f9c2ba4e88f827d616045507605853e';

const serviceResource = (service: string, language: string) => ({
  attributes: attributes({
    'service.name': service,
    'telemetry.sdk.language': language,
    'telemetry.sdk.name': SDK,
    'telemetry.sdk.version': 'v0.3.0',
    'host.name': 'node-1',
    'host.id': HOST_ID,
    'os.type': 'linux',
    'service.namespace': 'shop',
    'k8s.namespace.name': 'shop',
    'k8s.deployment.name': service,
    'k8s.owner.name': service,
    'k8s.pod.name': `${service}-5d7f6b9c4-x2x7q`,
    'k8s.node.name': 'node-1',
    'k8s.cluster.name': 'prod',
    'service.instance.id': `shop.${service}-5d7f6b9c4-x2x7q.${service}`,
    'otel.library.name': 'go.opentelemetry.io/obi',
  }),
});

const flow = (
  ends: { from: string; to: string; direction: 'request' | 'response' },
  points: readonly (readonly [number, number])[],
) => {
  const map = {
    direction: ends.direction,
    'k8s.cluster.name': 'prod',
    'k8s.src.namespace': 'shop',
    'k8s.src.owner.name': ends.from,
    'k8s.src.owner.type': 'Deployment',
    'k8s.dst.namespace': 'shop',
    'k8s.dst.owner.name': ends.to,
    'k8s.dst.owner.type': 'Deployment',
  };
  const start = nano((points[0]?.[0] ?? 0) - 60_000);
  return points.map(([atMs, bytes]) => ({
    attributes: attributes(map),
    start_time_unix_nano: start,
    time_unix_nano: nano(atMs),
    as_int: String(bytes),
  }));
};

/** Byte counters of the flows between three workloads; the last one has no spans. */
export function obiFlows(baseMs: number) {
  const at = (seconds: number): number => baseMs + seconds * 1000;
  const dataPoints = [
    ...flow({ from: 'frontend', to: 'orders', direction: 'request' }, [
      [at(-30), 10_000],
      [at(10), 10_400],
      [at(40), 11_500],
    ]),
    ...flow({ from: 'orders', to: 'frontend', direction: 'response' }, [
      [at(-30), 90_000],
      [at(10), 93_000],
    ]),
    ...flow({ from: 'orders', to: 'ledger', direction: 'request' }, [
      [at(-30), 5],
      [at(20), 2053],
    ]),
  ];
  const metric = {
    name: 'obi.network.flow.bytes',
    description: 'total bytes_sent value of network flows observed by probe since its launch',
    unit: '{bytes}',
    sum: { aggregation_temporality: 2, is_monotonic: true, data_points: dataPoints },
  };
  const resource = { attributes: attributes({ 'obi.version': 'v0.3.0', 'obi.revision': '5b8100c', 'host.id': HOST_ID }) };
  const scope = { name: 'network_ebpf_events' };
  return { resource_metrics: [{ resource, schema_url: SCHEMA_URL, scope_metrics: [{ scope, metrics: [metric] }] }] };
}

const BOUNDS = [0, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Durations of requests: all of them between 50 and 75 ms. */
export function obiApplicationMetrics(atMs: number) {
  const durations = (name: string, map: Readonly<Record<string, Value>>) => ({
    name,
    description: '',
    unit: 's',
    histogram: {
      aggregation_temporality: 2,
      data_points: [
        {
          attributes: attributes(map),
          start_time_unix_nano: nano(atMs - 60_000),
          time_unix_nano: nano(atMs),
          count: '20',
          sum: 1.2,
          explicit_bounds: BOUNDS,
          bucket_counts: Array.from({ length: BOUNDS.length + 1 }, (_, i) => (i === 5 ? '20' : '0')),
        },
      ],
    },
  });
  const shared = { 'service.name': 'orders', 'service.namespace': 'shop', 'server.address': 'orders' };
  const metrics = [
    durations('http.server.request.duration', {
      ...shared,
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/orders/{id}',
      'server.port': 8080,
    }),
    durations('rpc.server.duration', {
      ...shared,
      'rpc.method': '/shop.Orders/Get',
      'rpc.system': 'grpc',
      'rpc.grpc.status_code': 0,
    }),
    durations('db.client.operation.duration', { ...shared, 'db.operation.name': 'SELECT', 'db.system.name': 'postgresql' }),
  ];
  const scope = { name: 'go.opentelemetry.io/obi' };
  return { resource_metrics: [{ resource: serviceResource('orders', 'go'), scope_metrics: [{ scope, metrics }] }] };
}

interface ObiSpan {
  id: string;
  parent?: string;
  name: string;
  kind: 1 | 2 | 3;
  from: number;
  to: number;
  attributes?: Readonly<Record<string, Value>>;
  error?: boolean;
}

const FRONTEND: readonly ObiSpan[] = [
  { id: 'aa00000000000002', parent: 'aa00000000000001', name: 'in queue', kind: 1, from: 0, to: 2 },
  { id: 'aa00000000000003', parent: 'aa00000000000001', name: 'processing', kind: 1, from: 2, to: 70 },
  {
    id: 'aa00000000000001',
    name: 'GET /checkout',
    kind: 2,
    from: 0,
    to: 70,
    attributes: {
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'url.path': '/checkout',
      'client.address': '10.0.0.9',
      'server.address': 'frontend',
      'server.port': 8080,
      'http.request.body.size': 0,
      'http.response.body.size': 512,
      'http.route': '/checkout',
    },
  },
  {
    id: 'aa00000000000004',
    parent: 'aa00000000000003',
    name: '/shop.Orders/Get',
    kind: 3,
    from: 5,
    to: 65,
    attributes: {
      'rpc.method': '/shop.Orders/Get',
      'rpc.system': 'grpc',
      'rpc.grpc.status_code': 0,
      'server.address': 'orders',
      'peer.service': 'orders',
      'server.port': 9090,
    },
  },
];

const ORDERS: readonly ObiSpan[] = [
  {
    id: 'bb00000000000001',
    parent: 'aa00000000000004',
    name: '/shop.Orders/Get',
    kind: 2,
    from: 6,
    to: 64,
    attributes: {
      'rpc.method': '/shop.Orders/Get',
      'rpc.system': 'grpc',
      'rpc.grpc.status_code': 0,
      'client.address': 'frontend',
      'server.address': 'orders',
      'server.port': 9090,
    },
  },
  {
    id: 'bb00000000000002',
    parent: 'bb00000000000001',
    name: 'SELECT orders',
    kind: 3,
    from: 10,
    to: 60,
    error: true,
    attributes: {
      'server.address': 'postgres',
      'peer.service': 'postgres',
      'server.port': 5432,
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'orders',
      'db.response.status_code': '57014',
      'error.type': '57014',
    },
  },
];

export const OBI_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** One request: HTTP at the frontend, gRPC to orders, SQL there, which fails. OBI tells the time in queue as a span of its own. */
export function obiSpans(baseMs: number) {
  const of = (service: string, language: string, spans: readonly ObiSpan[]) => ({
    resource: serviceResource(service, language),
    scope_spans: spans.map(({ id, parent, name, kind, from, to, attributes: map = {}, error }) => ({
      spans: [
        {
          trace_id: Buffer.from(OBI_TRACE, 'hex').toString('base64'),
          span_id: Buffer.from(id, 'hex').toString('base64'),
          ...(parent ? { parent_span_id: Buffer.from(parent, 'hex').toString('base64') } : {}),
          name,
          kind,
          start_time_unix_nano: nano(baseMs + from),
          end_time_unix_nano: nano(baseMs + to),
          attributes: attributes(map),
          status: error ? { code: 2 } : {},
        },
      ],
    })),
  });
  return { resource_spans: [of('frontend', 'nodejs', FRONTEND), of('orders', 'go', ORDERS)] };
}
