import type { ClickHouseServer } from '@svc/testkit/clickhouse';

export type CollectorWay = 'nop' | 'stamp' | 'file' | 'batch-file' | 'clickhouse' | 'clickhouse-ack';

export interface CollectorSettings {
  grpc: number;
  http: number;
  token: string;
  files: { cert: string; key: string; out: string };
  clickHouse: ClickHouseServer | undefined;
}

const PIPELINES: Readonly<Record<CollectorWay, { processors: string; exporter: string }>> = {
  nop: { processors: '', exporter: 'nop' },
  stamp: { processors: 'resource', exporter: 'nop' },
  file: { processors: 'memory_limiter, resource', exporter: 'file' },
  'batch-file': { processors: 'memory_limiter, resource, batch', exporter: 'file' },
  clickhouse: { processors: 'memory_limiter, resource, batch/64k', exporter: 'clickhouse' },
  'clickhouse-ack': { processors: 'memory_limiter, resource', exporter: 'clickhouse' },
};

/** Acknowledged once it is queued, or, as ours is only once it is safe, once ClickHouse has it. */
const QUEUES: Readonly<Partial<Record<CollectorWay, string>>> = {
  clickhouse: '{ enabled: true, num_consumers: 2, queue_size: 8, block_on_overflow: true }',
  'clickhouse-ack':
    '{ enabled: true, num_consumers: 2, sizer: items, queue_size: 500000, block_on_overflow: true, wait_for_result: true, batch: { flush_timeout: 200ms, min_size: 65536, max_size: 131072 } }',
};

function exporterOf(way: CollectorWay, { files, clickHouse }: CollectorSettings): string {
  const { exporter } = PIPELINES[way];
  if (exporter === 'nop') return '{}';
  if (exporter === 'file') return `{ path: ${files.out}, format: proto }`;
  const { username, password } = new URL(clickHouse?.url ?? '');
  const endpoint = `tcp://127.0.0.1:${clickHouse?.tcpPort}?dial_timeout=10s&compress=lz4`;
  return `{ endpoint: "${endpoint}", username: ${username}, password: "${password}", database: otel, create_schema: true, timeout: 30s, sending_queue: ${QUEUES[way]}, retry_on_failure: { enabled: true } }`;
}

/** The Collector's configuration for one way: the same TLS, token and stamp that ours has. */
export function writeCollectorConfig(way: CollectorWay, settings: CollectorSettings): string {
  const { grpc, http, token, files } = settings;
  const { processors, exporter } = PIPELINES[way];
  const tls = `tls: { cert_file: ${files.cert}, key_file: ${files.key} }, auth: { authenticator: bearertokenauth }`;
  const pipeline = `{ receivers: [otlp], processors: [${processors}], exporters: [${exporter}] }`;
  return `extensions:
  bearertokenauth: { scheme: Bearer, token: "${token}" }
receivers:
  otlp:
    protocols:
      grpc: { endpoint: "127.0.0.1:${grpc}", max_recv_msg_size_mib: 64, ${tls} }
      http: { endpoint: "127.0.0.1:${http}", ${tls} }
processors:
  memory_limiter: { check_interval: 1s, limit_mib: 4000, spike_limit_mib: 800 }
  resource: { attributes: [ { key: svc.tenant.id, value: bench, action: insert } ] }
  batch: { send_batch_size: 8192, timeout: 200ms }
  batch/64k: { send_batch_size: 65536, timeout: 200ms }
exporters:
  ${exporter}: ${exporterOf(way, settings)}
service:
  extensions: [bearertokenauth]
  telemetry: { logs: { level: fatal }, metrics: { level: none } }
  pipelines:
    traces: ${pipeline}
    logs: ${pipeline}
    metrics: ${pipeline}
`;
}
