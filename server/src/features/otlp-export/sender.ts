import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import { type DiagLogger, diag } from '@opentelemetry/api';
import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as HttpExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import type { PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { AppError } from '#kernel';
import type { OtlpExportConfig } from './config.ts';

const SEND_LIMIT_MS = 10_000;
const MAX_WORDS = 300;

/** What became of one request; `retry`: the same may be taken later. `words` are the collector's or the network's. */
export type SendOutcome =
  | { ok: true; words: string }
  /** `rejected`: how many points of the request, where the collector took the others. */
  | { ok: false; retry: boolean; rejected?: number; words: string };

export interface Sender {
  /** One request at a time, in the order of the calls; at most ten seconds each. Never rejects. */
  send(metrics: ResourceMetrics): Promise<SendOutcome>;
  close(): Promise<void>;
}

/** gRPC codes that OTLP calls retryable: cancelled, deadline exceeded, resource exhausted, aborted, out of range, unavailable, data loss. */
const RETRYABLE_GRPC: ReadonlySet<number> = new Set([1, 4, 8, 10, 11, 14, 15]);
const RETRYABLE_HTTP: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** grpc-js ends some of its words with an empty note. */
const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\.? Resolution note:$/, '')
    .slice(0, MAX_WORDS);

/** Tag 2 of google.rpc.Status, its message. */
const MESSAGE_TAG = String.fromCharCode(0x12);

/** The words of a refusal: text, or the message of a google.rpc.Status, of which the library gives the protobuf bytes as if they were text. */
function readBody(data: string): string {
  const tag = data.indexOf(MESSAGE_TAG);
  // First of all, or behind a code of one byte.
  if (tag !== 0 && tag !== 2) return /[^\x20-\x7e\s]/.test(data) ? '' : data;
  // A length of two bytes begins with one that is no text by itself.
  const begin = tag + (data[tag + 1] === '\ufffd' ? 3 : 2);
  return data.slice(begin).split(/[\p{Cc}\ufffd]/u)[0] ?? '';
}

/** `code` is a gRPC status, an HTTP status or, of the network, a word. */
function outcomeOf(error: unknown, protocol: OtlpExportConfig['protocol']): SendOutcome {
  const { code, message = String(error), data } = Object(error) as { code?: unknown; message?: string; data?: unknown };
  const retryable = protocol === 'grpc' ? RETRYABLE_GRPC : RETRYABLE_HTTP;
  const answered = typeof code === 'number' && protocol !== 'grpc' ? `HTTP ${code}: ` : '';
  const body = typeof data === 'string' ? readBody(data) : '';
  return {
    ok: false,
    retry: typeof code === 'number' ? retryable.has(code) : true,
    words: oneLine(body === '' ? answered + message : `${answered}${message} (${body})`),
  };
}

interface PartialSuccess {
  rejectedDataPoints?: number | string;
  errorMessage?: string;
}

/** The library tells of a partial success by a warning and no other way; one request is under way at a time. */
let partial: PartialSuccess | undefined;
const LOGGER: DiagLogger = {
  warn(message, body) {
    if (!message.startsWith('Received Partial Success')) return;
    try {
      partial = JSON.parse(String(body)) as PartialSuccess;
    } catch {
      partial = { rejectedDataPoints: 1, errorMessage: String(body) };
    }
  },
  error: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  verbose: () => undefined,
};

function takenOutcome(): SendOutcome {
  const { rejectedDataPoints = 0, errorMessage = '' } = partial ?? {};
  const rejected = Number(rejectedDataPoints);
  if (rejected > 0) return { ok: false, retry: false, rejected, words: oneLine(`${rejected} points refused: ${errorMessage}`) };
  return { ok: true, words: oneLine(errorMessage) };
}

function openGrpc(config: OtlpExportConfig, url: string, ca: Buffer | null): PushMetricExporter {
  const isTls = url.startsWith('https:');
  if (!isTls && !config.insecure)
    throw new AppError('validation', 'SVC_OTLP_EXPORT_URL needs TLS: use https://, or SVC_OTLP_EXPORT_INSECURE in a dev build.');
  const channel: ChannelCredentials = isTls ? credentials.createSsl(ca) : credentials.createInsecure();
  const metadata = new Metadata();
  if (config.token) metadata.set('authorization', `Bearer ${config.token.reveal()}`);
  return new GrpcExporter({ url, credentials: channel, metadata, timeoutMillis: SEND_LIMIT_MS });
}

function openHttp(config: OtlpExportConfig, url: string, ca: Buffer | null): PushMetricExporter {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !config.insecure)
    throw new AppError('validation', 'SVC_OTLP_EXPORT_URL needs TLS: use https://.');
  if (target.pathname === '/') target.pathname = '/v1/metrics';
  return new HttpExporter({
    url: target.href,
    headers: config.token ? { authorization: `Bearer ${config.token.reveal()}` } : {},
    timeoutMillis: SEND_LIMIT_MS,
    httpAgentOptions: { keepAlive: true, ...(ca ? { ca } : {}) },
  });
}

/** Opens the way to the collector; connects with the first request. Throws `validation` where that would be without TLS. */
export function createSender(config: OtlpExportConfig, url: string): Sender {
  const ca = config.caFile === undefined ? null : readFileSync(config.caFile);
  const exporter = config.protocol === 'grpc' ? openGrpc(config, url, ca) : openHttp(config, url, ca);
  diag.setLogger(LOGGER, { suppressOverrideMessage: true });
  let line: Promise<unknown> = Promise.resolve();
  const sendNow = (metrics: ResourceMetrics): Promise<SendOutcome> =>
    new Promise((resolve) => {
      partial = undefined;
      exporter.export(metrics, ({ code, error }) => {
        resolve(code === 0 ? takenOutcome() : outcomeOf(error, config.protocol));
      });
    });
  return {
    send(metrics) {
      const sent = line.then(() => sendNow(metrics));
      line = sent;
      return sent;
    },
    async close() {
      await exporter.shutdown();
    },
  };
}
