import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { AppError } from '#kernel';

/** Calls of the REST API of a control plane that may run anywhere (docs/api.md). */

export interface RestClientOptions {
  /** https://host[:port] */
  server: string;
  token: string;
  /** PEM file with the authority of the server's certificate, where the system does not know it. */
  caFile?: string | undefined;
}

export interface RestCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /v1. */
  path: string;
  body?: unknown;
}

export type RestClient = <Answer>(call: RestCall) => Promise<Answer>;

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface Problem {
  detail?: string;
  title?: string;
  errors?: { path: string; message: string }[];
  code?: string;
}

/** Codes that a command does something of; the others are told by their status. */
const KEPT_CODES = ['cannot_author', 'egress_denied', 'rate_limited'] as const;

function toFault(status: number, text: string): AppError {
  let problem: Problem = {};
  try {
    problem = JSON.parse(text) as Problem;
  } catch {
    // Whatever answered is not the API: its status says all that is known.
  }
  const message = problem.detail ?? problem.title ?? `The server answered ${status}.`;
  if (status === 401) return new AppError('unauthorized', `${message} SVC_TOKEN holds an API token of the tenant.`);
  const kept = KEPT_CODES.find((code) => code === problem.code);
  if (kept) return new AppError(kept, message, { faults: problem.errors ?? [], more: { ...problem } });
  return new AppError(status === 403 ? 'forbidden' : status < 500 ? 'conflict' : 'unavailable', message, {
    faults: problem.errors ?? [],
  });
}

/** A file that a person names and that cannot be read: their own mistake, and no failure of the command. */
export function unreadable(path: string, cause: unknown): AppError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new AppError('bad_request', `${path} could not be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`, {
    cause,
  });
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** What TLS says of a certificate whose authority it does not know. */
const UNKNOWN_AUTHORITY: ReadonlySet<string | undefined> = new Set([
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);

function readUrl(server: string): URL {
  const url = URL.parse(server);
  // A token never goes over the network in clear text.
  if (url?.protocol !== 'https:') throw new AppError('bad_request', '--server must be an https:// URL.');
  return url;
}

export interface HttpsCall extends RestCall {
  headers?: Readonly<Record<string, string>>;
}

/** Gives the text of a 2xx answer. */
export type HttpsClient = (call: HttpsCall) => Promise<string>;

/** AppError `unavailable` where the server is not reached, else as it answers. The token is in no message. */
export function createHttpsClient({ server, token, caFile }: RestClientOptions): HttpsClient {
  const base = readUrl(server);
  const ca = caFile === undefined ? undefined : readAuthority(caFile);
  return async ({ method, path, body, headers: more }) =>
    await new Promise<string>((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        ...{ authorization: `Bearer ${token}`, accept: 'application/json', ...more },
        ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      };
      const options = { method, headers, timeout: TIMEOUT_MS, ...(ca === undefined ? {} : { ca }) };
      const call = request(new URL(path, base), options, (answer) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (part: Buffer) => {
          parts.push(part);
          bytes += part.length;
          if (bytes > MAX_ANSWER_BYTES) call.destroy(new Error('the answer is too large'));
        });
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          const status = answer.statusCode ?? 0;
          if (status < 200 || status > 299) reject(toFault(status, text));
          else resolve(text);
        });
        answer.on('error', reject);
      });
      call.on('timeout', () => call.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
      call.on('error', (cause: NodeJS.ErrnoException) => {
        const hint = UNKNOWN_AUTHORITY.has(cause.code)
          ? ' --ca FILE names its authority: tls/ca.crt in its data folder, where it made its certificate itself.'
          : '';
        const message = `${base.origin} was not reached: ${cause.message}.${hint}`;
        reject(new AppError('unavailable', message, { cause }));
      });
      call.end(payload);
    });
}

/** The same for the REST API, whose paths are below /v1. */
export function createRestClient(options: RestClientOptions): RestClient {
  const call = createHttpsClient(options);
  return async <Answer>({ method, path, body }: RestCall): Promise<Answer> => {
    const text = await call({ method, path: `/v1${path}`, body });
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
}
