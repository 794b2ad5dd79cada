import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createFaults, type Fault, type Faults } from './faults.ts';

export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  text: string;
  /** Undefined where the body is no JSON. */
  json: unknown;
  atMs: number;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Text as it is, anything else as JSON. */
  body?: unknown;
}

export interface ServerOptions {
  /** PEM: the certificate of the name that callers use. */
  tls: { cert: string | Buffer; key: string | Buffer };
  /** The name in its certificate; 127.0.0.1 unless told. */
  host?: string;
  port?: number;
  now?: () => number;
}

export interface ProviderServer {
  /** `https://host:port`. */
  origin: string;
  port: number;
  /** Every request that arrived whole, whatever came of it. */
  calls: readonly Call[];
  /** What no caller may send to this provider, by its published contract. Empty at the end of a good test. */
  breaches: readonly string[];
  faults: Faults;
  close(): Promise<void>;
}

const LARGE = 10 * 1024 * 1024;
const HTML = '<!doctype html><html><head><title>Instance Hibernating page</title></head><body>Waking up ...</body></html>';

async function readCall(request: IncomingMessage, atMs: number): Promise<Call> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://provider');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Not every provider's body is JSON.
  }
  return { method: request.method ?? '', path: pathname, query: searchParams, headers: request.headers, text, json, atMs };
}

function write(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  if (response.destroyed) return;
  const isText = typeof body === 'string';
  const type =
    body === undefined ? {} : { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers });
  response.end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
}

/** True where the fault takes the place of the whole exchange: nothing is done. */
function spoil(fault: Fault | undefined, response: ServerResponse): boolean {
  switch (fault?.kind) {
    case 'answer':
      write(response, fault);
      return true;
    case 'drop':
      response.socket?.destroy();
      return true;
    case 'html':
      write(response, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: HTML });
      return true;
    case 'wrong_json':
      write(response, { status: 200, body: { unexpected: [1, 2, 3] } });
      return true;
    case 'large':
      write(response, { status: 200, body: 'x'.repeat(LARGE) });
      return true;
    case 'redirect':
      write(response, { status: 302, headers: { location: fault.to } });
      return true;
    default:
      return false;
  }
}

/** The answer of what was done, as far as the fault lets it through. */
function deliver(fault: Fault | undefined, response: ServerResponse, answer: Answer): void {
  switch (fault?.kind) {
    case 'hang':
      return;
    case 'cut':
      response.socket?.destroy();
      return;
    case 'half_closed':
      response.socket?.end();
      return;
    case 'done_then':
      write(response, fault);
      return;
    case 'slow':
      setTimeout(() => write(response, answer), fault.ms).unref();
      return;
    case 'drip':
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.write(' ');
      return;
    default:
      write(response, answer);
  }
}

/** Who answers a call; `breach` notes what the contract forbids. */
export type Handle = (call: Call, breach: (words: string) => void) => Answer | Promise<Answer>;

async function listen(server: https.Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** Of a process that runs for days the last ones are enough. */
const MOST_CALLS = 10_000;

/** A provider on loopback, over TLS alone; on any port where another program has the one that was asked for. */
export async function startServer(
  { tls, host = '127.0.0.1', port = 0, now = Date.now }: ServerOptions,
  handle: Handle,
): Promise<ProviderServer> {
  const calls: Call[] = [];
  const breaches: string[] = [];
  const faults = createFaults();
  const server = https.createServer({ ...tls, minVersion: 'TLSv1.2', keepAlive: true }, (request, response) => {
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    const take = async (): Promise<void> => {
      const call = await readCall(request, now());
      calls.push(call);
      if (calls.length > MOST_CALLS) calls.shift();
      const fault = faults.take(call);
      if (spoil(fault, response)) return;
      deliver(fault, response, await handle(call, (words) => void breaches.push(`${call.method} ${call.path}: ${words}`)));
    };
    take().catch((error: unknown) => {
      // A caller that went away in the middle is no fault of the provider.
      if (request.destroyed && !request.complete) return;
      breaches.push(`${request.method} ${request.url}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      write(response, { status: 500, body: { error: 'the simulated provider failed' } });
    });
  });
  server.on('tlsClientError', () => undefined);
  await listen(server, port).catch(() => listen(server, 0));
  const bound = (server.address() as AddressInfo).port;
  return {
    origin: `https://${host}:${bound}`,
    port: bound,
    calls,
    breaches,
    faults,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await (server.listening ? once(server, 'close') : undefined);
    },
  };
}
