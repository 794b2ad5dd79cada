import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { Agent, request } from 'node:https';
import type { Signal } from './payload.ts';

export type Protocol = 'grpc' | 'http';

/** Sends one request; resolves with '' when it is acknowledged, else with why not. */
export interface LoadClient {
  send(body: Buffer, token: string): Promise<string>;
  close(): void;
}

export interface LoadTarget {
  protocol: Protocol;
  signal: Signal;
  port: number;
  /** PEM. */
  ca: string;
  connections: number;
}

const GRPC_PATHS = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
} as const satisfies Record<Signal, string>;

const openSession = ({ port, ca }: LoadTarget): Promise<ClientHttp2Session> =>
  new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { ca, servername: 'localhost', maxSessionMemory: 1000 });
    session.once('remoteSettings', () => resolve(session));
    session.once('error', reject);
    // What fails later fails each of its streams.
    session.on('error', () => {});
  });

function exportOnce(
  session: ClientHttp2Session,
  path: string,
  { body, token }: { body: Buffer; token: string },
): Promise<string> {
  return new Promise((resolve) => {
    if (session.destroyed) return resolve('connection lost');
    let status = 'no status';
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      if (headers['grpc-status'] !== undefined) status = String(headers['grpc-status']);
    };
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${token}`,
    });
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('data', () => {});
    stream.on('error', () => {
      status = stream.rstCode === constants.NGHTTP2_NO_ERROR ? 'connection lost' : `reset ${stream.rstCode}`;
    });
    stream.on('close', () => resolve(status === '0' ? '' : `grpc ${status}`));
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(body.length, 1);
    stream.write(prefix);
    stream.end(body);
  });
}

async function openGrpc(target: LoadTarget): Promise<LoadClient> {
  const sessions = await Promise.all(Array.from({ length: target.connections }, () => openSession(target)));
  let turn = 0;
  return {
    send: (body, token) =>
      exportOnce(sessions[turn++ % sessions.length] as ClientHttp2Session, GRPC_PATHS[target.signal], { body, token }),
    close() {
      for (const session of sessions) session.destroy();
    },
  };
}

function openHttp({ signal, port, ca, connections }: LoadTarget): LoadClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca, servername: 'localhost' });
  const send = (body: Buffer, token: string): Promise<string> =>
    new Promise((resolve) => {
      const headers = {
        'content-type': 'application/x-protobuf',
        'content-length': body.length,
        authorization: `Bearer ${token}`,
      };
      const call = request({ host: '127.0.0.1', port, path: `/v1/${signal}`, method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode === 200 ? '' : `http ${answer.statusCode}`));
        answer.once('error', () => resolve('connection lost'));
      });
      call.once('error', () => resolve('connection lost'));
      call.end(body);
    });
  return { send, close: () => agent.destroy() };
}

/** One TLS client with so many connections: HTTP/2 sessions for gRPC, kept-alive sockets for HTTP/1.1. */
export const openClient = async (target: LoadTarget): Promise<LoadClient> =>
  target.protocol === 'grpc' ? await openGrpc(target) : openHttp(target);
