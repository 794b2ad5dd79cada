import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@svc/testkit/free-port';
import { numberedRequest, type OtlpSignal } from './otlp-requests.ts';
import { type Installation, newInstallation } from './server-process.ts';

export const OTLP_TENANT = 'default';
export const METRICS_TOKEN = 'metrics-token-of-the-fault-tests';
const TOKEN = 'otlp-token-of-the-fault-tests';
const ANSWER_LIMIT_MS = 20_000;

export interface OtlpInstallation extends Installation {
  otlp: { grpc: number; http: number };
}

export async function newOtlpInstallation(env: Record<string, string> = {}): Promise<OtlpInstallation> {
  const otlp = { grpc: await freePort(), http: await freePort() };
  const installation = await newInstallation({
    SVC_OTLP_GRPC_ADDR: `127.0.0.1:${otlp.grpc}`,
    SVC_OTLP_HTTP_ADDR: `127.0.0.1:${otlp.http}`,
    SVC_OTLP_TOKENS: `${TOKEN}=${OTLP_TENANT}`,
    SVC_METRICS_TOKEN: METRICS_TOKEN,
    ...env,
  });
  return { ...installation, otlp };
}

/** What became of a request; `retry` is what the answer says about coming again. */
export interface OtlpAnswer {
  /** 'ok', 'http 503', 'grpc 14'; `cut ...` without an answer; `away ...` when the request never got there. */
  outcome: string;
  retry: string | undefined;
  body: Buffer;
}

export interface OtlpClient {
  send(signal: OtlpSignal, body: Buffer): Promise<OtlpAnswer>;
  close(): void;
}

const authorization = `Bearer ${TOKEN}`;
const caOf = ({ dataDir }: Installation): Buffer => readFileSync(join(dataDir, 'tls', 'ca.crt'));
const NOTHING = Buffer.alloc(0);

const cut = (error: unknown): OtlpAnswer => {
  const words = String(error);
  const isAway = Reflect.get(Object(error), 'syscall') === 'connect' || /before secure TLS connection/.test(String(error));
  return { outcome: `${isAway ? 'away' : 'cut'} ${words}`, retry: undefined, body: NOTHING };
};

/** Plain HTTPS with protobuf. */
export function openHttpClient(installation: OtlpInstallation): OtlpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 8, ca: caOf(installation), servername: 'localhost' });
  return {
    send: (signal, body) =>
      new Promise((resolve) => {
        const call = request(
          {
            ...{ agent, host: '127.0.0.1', port: installation.otlp.http, path: `/v1/${signal}`, method: 'POST' },
            ...{ timeout: ANSWER_LIMIT_MS, headers: { authorization, 'content-type': 'application/x-protobuf' } },
          },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('error', (error) => resolve(cut(error)));
            answer.on('end', () => {
              const outcome = answer.statusCode === 200 ? 'ok' : `http ${answer.statusCode}`;
              resolve({ outcome, retry: answer.headers['retry-after'], body: Buffer.concat(chunks) });
            });
          },
        );
        call.on('timeout', () => call.destroy(new Error('no answer')));
        call.on('error', (error) => resolve(cut(error)));
        call.end(body);
      }),
    close: () => agent.destroy(),
  };
}

const SERVICES: Readonly<Record<OtlpSignal, string>> = {
  traces: 'trace.v1.TraceService',
  logs: 'logs.v1.LogsService',
  metrics: 'metrics.v1.MetricsService',
};

function framed(body: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

/** Unary gRPC on one connection, which is made anew after the server closed it. */
export function openGrpcClient(installation: OtlpInstallation): OtlpClient {
  const ca = caOf(installation);
  let session: ClientHttp2Session | undefined;
  let lastError: unknown;
  function current(): ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session;
    const opened = connect(`https://127.0.0.1:${installation.otlp.grpc}`, { ca, servername: 'localhost' });
    opened.on('error', (error) => {
      lastError = error;
    });
    opened.on('goaway', () => opened.close());
    session = opened;
    return opened;
  }
  return {
    send: (signal, body) =>
      new Promise((resolve) => {
        const on = current();
        const stream = on.request({
          ...{ ':method': 'POST', ':path': `/opentelemetry.proto.collector.${SERVICES[signal]}/Export` },
          ...{ 'content-type': 'application/grpc', te: 'trailers', authorization },
        });
        const headers: Record<string, unknown> = {};
        const chunks: Buffer[] = [];
        let failure: unknown;
        const collect = (got: object) => Object.assign(headers, got);
        stream.setTimeout(ANSWER_LIMIT_MS, () => stream.close());
        stream.on('response', collect);
        stream.on('trailers', collect);
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', (error) => {
          failure = error;
        });
        stream.on('close', () => {
          const status = headers['grpc-status'];
          if (status === undefined) {
            resolve(cut(on.connecting ? lastError : (failure ?? new Error(`the stream ended with ${stream.rstCode}`))));
            return;
          }
          const retry = headers['grpc-status-details-bin'];
          resolve({
            outcome: status === '0' ? 'ok' : `grpc ${status}`,
            retry: retry === undefined ? undefined : Buffer.from(String(retry), 'base64').toString('latin1'),
            body: Buffer.concat(chunks).subarray(5),
          });
        });
        stream.end(framed(body));
      }),
    close: () => session?.destroy(),
  };
}

/** Sends numbered requests of one signal without end. A request without an answer is never sent again: it may be stored. */
export interface OtlpSender {
  signal: OtlpSignal;
  /** Numbers of the requests that were acknowledged, each with ITEMS records. */
  acknowledged: Set<number>;
  /** Numbers of requests that got no answer. */
  unanswered: Set<number>;
  /** How often each other outcome came. */
  outcomes: Map<string, number>;
  /** What refusals said about coming again. */
  retries: Set<string>;
  stop(): Promise<void>;
}

export interface SendOptions {
  client: OtlpClient;
  lanes?: number;
  /** Bytes beside what a span or log record needs. */
  padding?: number;
}

const PAUSE_MS = 50;
const START_MS = Date.now();

export function startOtlpSender(signal: OtlpSignal, { client, lanes = 4, padding = 100 }: SendOptions): OtlpSender {
  const sender = {
    ...{ signal, acknowledged: new Set<number>(), unanswered: new Set<number>() },
    ...{ outcomes: new Map<string, number>(), retries: new Set<string>() },
  };
  const options = { endMs: START_MS, padding: 'x'.repeat(padding) };
  let next = 0;
  let isRunning = true;
  const lane = async (): Promise<void> => {
    while (isRunning) {
      next += 1;
      const number = next;
      const { outcome, retry } = await client.send(signal, numberedRequest(signal, number, options));
      if (outcome === 'ok') {
        sender.acknowledged.add(number);
        continue;
      }
      if (outcome.startsWith('cut')) sender.unanswered.add(number);
      sender.outcomes.set(outcome, (sender.outcomes.get(outcome) ?? 0) + 1);
      if (retry !== undefined) sender.retries.add(retry);
      await sleep(PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, lane));
  return {
    ...sender,
    async stop() {
      isRunning = false;
      await running;
      client.close();
    },
  };
}
