import { connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { conformingType, encodeConforming } from '@svc/otlp-wire/test-conforming';
import type { Signal } from '@svc/otlp-wire/walk';
import type { TestReceiver } from './test-receiver.ts';
import { frame } from './transport/grpc-frames.ts';

const SERVICE: Record<Signal, string> = {
  traces: 'trace.v1.TraceService',
  logs: 'logs.v1.LogsService',
  metrics: 'metrics.v1.MetricsService',
};
export const pathOf = (signal: Signal): string => `/opentelemetry.proto.collector.${SERVICE[signal]}/Export`;

export interface Sent {
  signal?: Signal;
  token?: string | undefined;
  body: Buffer;
  /** Of the HTTP request or the gRPC metadata. */
  headers?: Record<string, string>;
  isCompressed?: boolean;
  path?: string;
}

export interface Answered {
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
}

const authorization = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** One request of a plain HTTPS client. */
export function postHttp({ ca, key, cert, httpPort }: TestReceiver, sent: Sent & { method?: string }): Promise<Answered> {
  const { signal = 'traces', body, token, path = `/v1/${signal}`, method = 'POST' } = sent;
  const headers = { 'content-type': 'application/x-protobuf', ...authorization(token), ...sent.headers };
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ca, ...(key && cert ? { key, cert } : {}) });
    const asked = request({ host: '127.0.0.1', port: httpPort, path, method, headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        agent.destroy();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** One unary call of a plain HTTP/2 client; `status` is gRPC's, trailers are among the headers. */
export function callGrpc({ ca, key, cert, grpcPort }: TestReceiver, sent: Sent): Promise<Answered> {
  const { signal = 'traces', body, token, path = pathOf(signal), isCompressed = false } = sent;
  const client = connect(`https://127.0.0.1:${grpcPort}`, { ca, ...(key && cert ? { key, cert } : {}) });
  const framed = frame(body);
  framed[0] = isCompressed ? 1 : 0;
  return new Promise((resolve, reject) => {
    client.on('error', reject);
    const stream = client.request({
      ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
      ...authorization(token),
      ...sent.headers,
    });
    const headers: Record<string, unknown> = {};
    const chunks: Buffer[] = [];
    stream.on('response', (got) => Object.assign(headers, got));
    stream.on('trailers', (got) => Object.assign(headers, got));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => {});
    stream.on('close', () => {
      client.close();
      resolve({ status: Number(headers['grpc-status'] ?? -1), headers, body: Buffer.concat(chunks).subarray(5) });
    });
    stream.end(framed);
  });
}

/** One span, log record or data point of one service, `ageMs` old; `tenant` as its resource names it. */
export function makeRequest(
  signal: Signal,
  {
    tenant,
    service = 'shop',
    ageMs = 0,
    padBytes = 0,
  }: { tenant?: string; service?: string; ageMs?: number; padBytes?: number } = {},
): Buffer {
  const at = `${Date.now() - ageMs}000000`;
  const attribute = (key: string, text: string) => ({ key, value: { string_value: text } });
  const resource = {
    attributes: [attribute('service.name', service), ...(tenant === undefined ? [] : [attribute('svc.tenant.id', tenant)])],
  };
  const ids = { trace_id: Buffer.alloc(16, 1), span_id: Buffer.alloc(8, 2) };
  const name = `GET /cart${'x'.repeat(padBytes)}`;
  const span = { ...ids, name, start_time_unix_nano: at, end_time_unix_nano: at };
  const requests = {
    traces: { resource_spans: [{ resource, scope_spans: [{ spans: [span] }] }] },
    logs: {
      resource_logs: [{ resource, scope_logs: [{ log_records: [{ time_unix_nano: at, body: { string_value: 'bought' } }] }] }],
    },
    metrics: {
      resource_metrics: [
        {
          resource,
          scope_metrics: [{ metrics: [{ name: 'carts', gauge: { data_points: [{ time_unix_nano: at, as_double: 1 }] } }] }],
        },
      ],
    },
  };
  return encodeConforming(signal, requests[signal]);
}

/** The same request as OTLP/JSON. */
export function toOtlpJson(signal: Signal, bytes: Buffer): Buffer {
  const type = conformingType(signal);
  const object = type.toObject(type.decode(bytes), { longs: String, bytes: String });
  const withHexIds = JSON.stringify(object, (key, value: unknown) =>
    /_?(trace|span)_id$/.test(key) ? Buffer.from(String(value), 'base64').toString('hex') : value,
  );
  // The descriptor names fields as the .proto files do.
  return Buffer.from(
    withHexIds.replace(/"(\w+)":/g, (_all, name: string) => `"${name.replace(/_(\w)/g, (_m, c: string) => c.toUpperCase())}":`),
  );
}
