import type { Attributes, Value } from './attributes.ts';
import { KIND, type Span } from './signals.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const MILLISECONDS = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000];

/** A histogram that an SDK keeps beside the spans of one kind. */
export interface DurationMetric {
  name: string;
  unit: 's' | 'ms';
  description: string;
  type: 'histogram' | 'exponential';
  bounds: readonly number[];
  keys: readonly string[];
}

const HTTP_SERVER: DurationMetric = {
  name: 'http.server.request.duration',
  unit: 's',
  description: 'Duration of HTTP server requests.',
  type: 'histogram',
  bounds: SECONDS,
  keys: ['http.request.method', 'http.route', 'http.response.status_code', 'url.scheme', 'error.type'],
};

const HTTP_CLIENT: DurationMetric = {
  name: 'http.client.request.duration',
  unit: 's',
  description: 'Duration of HTTP client requests.',
  type: 'histogram',
  bounds: SECONDS,
  keys: ['http.request.method', 'server.address', 'server.port', 'http.response.status_code', 'error.type'],
};

const RPC_SERVER: DurationMetric = {
  name: 'rpc.server.duration',
  unit: 'ms',
  description: 'Measures the duration of inbound RPC.',
  type: 'histogram',
  bounds: MILLISECONDS,
  keys: ['rpc.system', 'rpc.service', 'rpc.method', 'rpc.grpc.status_code'],
};

const DATABASE: DurationMetric = {
  name: 'db.client.operation.duration',
  unit: 's',
  description: 'Duration of database client operations.',
  type: 'exponential',
  bounds: [],
  keys: ['db.system.name', 'db.operation.name', 'db.collection.name'],
};

/** The duration metric that a span of this kind is counted in; undefined for those that none counts. */
export function metricOf({ kind, attributes }: Span): DurationMetric | undefined {
  if (kind === KIND.server) return 'rpc.system' in attributes ? RPC_SERVER : HTTP_SERVER;
  if (kind !== KIND.client) return undefined;
  if ('db.system.name' in attributes) return DATABASE;
  return 'http.request.method' in attributes ? HTTP_CLIENT : undefined;
}

export function labelsOf({ attributes }: Span, keys: readonly string[]): Attributes {
  const labels: Record<string, Value> = {};
  for (const key of keys) {
    const value = attributes[key];
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}
