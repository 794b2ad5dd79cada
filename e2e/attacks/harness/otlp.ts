import { connect } from 'node:http2';
import type { Agent } from 'node:https';
import { gzipSync } from 'node:zlib';
import { type Answer, ask, type Door } from './ask.ts';

export const SIGNALS = ['traces', 'logs', 'metrics'] as const;
export type Signal = (typeof SIGNALS)[number];

export const GRPC_METHODS: Readonly<Record<Signal, string>> = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
};

/** What every request of OTLP goes through, in the registry's words. */
export const OTLP_SURFACES: readonly string[] = [
  'listener SVC_OTLP_HTTP_ADDR',
  ...SIGNALS.map((signal) => `topic svc.otlp.${signal}`),
];

export interface Export {
  signal: Signal;
  body?: Buffer;
  /** The body as gzip, packed before: nothing is lost of the time for sending. */
  packed?: Buffer;
  token?: string | undefined;
  gzip?: boolean;
  json?: boolean;
  from?: string;
  /** Keeps connections; a new one for each request without. */
  agent?: Agent;
  timeoutMs?: number;
}

export interface ExportAnswer extends Answer {
  /** Bytes of the request on the wire. */
  wireBytes: number;
  /** Items that the answer says were refused. */
  rejected: number;
}

interface Varint {
  value: number;
  next: number;
}

function readVarint(bytes: Buffer, from: number): Varint {
  let value = 0;
  for (let at = from, scale = 1; at < bytes.length; at += 1, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw new Error('The answer ends within a number.');
}

/** `rejected_*` of an answer's partial success, 0 where it names none. */
export function rejectedOf(body: Buffer): number {
  // partial_success (field 1) { rejected (field 1, varint) ... }
  if (body[0] !== 0x0a) return 0;
  const { next } = readVarint(body, 1);
  return body[next] === 0x08 ? readVarint(body, next + 1).value : 0;
}

/** One export over HTTPS. */
export async function exportHttp(door: Door, input: Export): Promise<ExportAnswer> {
  const { packed, body: plain = Buffer.alloc(0) } = input;
  const isGzip = packed !== undefined || input.gzip === true;
  const body = packed ?? (isGzip ? gzipSync(plain) : plain);
  const answer = await ask(door, `/v1/${input.signal}`, {
    method: 'POST',
    body,
    ...(input.token === undefined ? {} : { token: input.token }),
    ...(input.from ? { from: input.from } : {}),
    ...(input.agent ? { agent: input.agent } : {}),
    timeoutMs: input.timeoutMs ?? 60_000,
    headers: {
      'content-type': input.json ? 'application/json' : 'application/x-protobuf',
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
    },
  });
  const rejected = input.json
    ? Number(/"rejected\w+":\s*"?(\d+)/.exec(answer.body)?.[1] ?? 0)
    : rejectedOf(answer.bytes ?? Buffer.alloc(0));
  return { ...answer, wireBytes: body.length, rejected };
}

function framed(body: Buffer, gzip: boolean): Buffer {
  const packed = gzip ? gzipSync(body) : body;
  const prefix = Buffer.alloc(5);
  prefix[0] = gzip ? 1 : 0;
  prefix.writeUInt32BE(packed.length, 1);
  return Buffer.concat([prefix, packed]);
}

export interface UnaryCall {
  path: string;
  body: Buffer;
  token?: string | undefined;
  gzip?: boolean;
  from?: string;
  timeoutMs?: number;
  headers?: Record<string, string>;
}

/** One unary gRPC call on a connection of its own; `status` is 200 for code 0, 1000 + code for another, 0 where it was cut. */
export function callUnary(door: Door, call: UnaryCall): Promise<ExportAnswer> {
  const body = framed(call.body, call.gzip ?? false);
  const began = performance.now();
  const session = connect(`https://127.0.0.1:${door.port}`, {
    ca: door.ca,
    servername: 'localhost',
    ...(call.from ? { localAddress: call.from } : {}),
  });
  return new Promise((resolve) => {
    let isDone = false;
    const done = (status: number, text: string, payload = Buffer.alloc(0)) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(limit);
      session.destroy();
      const ms = performance.now() - began;
      resolve({ status, headers: {}, body: text, ms, wireBytes: body.length, rejected: rejectedOf(payload) });
    };
    const limit = setTimeout(() => done(0, 'no answer in time'), call.timeoutMs ?? 60_000);
    session.on('error', (error) => done(0, String(error)));
    const stream = session.request({
      ':method': 'POST',
      ':path': call.path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...(call.gzip ? { 'grpc-encoding': 'gzip' } : {}),
      ...call.headers,
    });
    const got: Record<string, unknown> = {};
    const chunks: Buffer[] = [];
    stream.on('response', (headers) => Object.assign(got, headers));
    stream.on('trailers', (headers) => Object.assign(got, headers));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', (error) => done(0, String(error)));
    stream.on('close', () => {
      const code = got['grpc-status'];
      if (code === undefined) done(0, `ended without a status (${String(got[':status'] ?? stream.rstCode)})`);
      else done(code === '0' ? 200 : 1000 + Number(code), String(got['grpc-message'] ?? ''), Buffer.concat(chunks).subarray(5));
    });
    stream.end(body);
  });
}

export const exportGrpc = (
  door: Door,
  { signal, body = Buffer.alloc(0), ...input }: Omit<Export, 'json' | 'agent' | 'packed'>,
): Promise<ExportAnswer> => callUnary(door, { path: GRPC_METHODS[signal], body, ...input });
