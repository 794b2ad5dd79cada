import http from 'node:http';
import type net from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorityOf, dial } from '../synthetic/connect/dial.ts';
import { type Run, type RunTools, startRun } from '../synthetic/run.ts';
import { RunFailure } from '../synthetic/run-failure.ts';
import { type Termination, terminate } from './terminate-tls.ts';

/** Of one run of a browser test. */
const MAX_CONNECTIONS = 256;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DIALS = 5000;
/** One connection of many: silence on one shall not use up the whole run. */
const DIAL_MS = 15_000;

/** Chromium's own services; a page may use them, Chromium may not. */
const MAKERS = /(?:^|\.)(?:google\.com|googleapis\.com|gvt[12]\.com|google-analytics\.com|chromium\.org)$/;
/** The page's request and the connection for it are told by different ways. */
const ASKED_MS = 1000;
const POLL_MS = 20;

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'upgrade',
]);

export interface Dialled {
  readonly address: string;
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
}

/**
 * All that a browser reaches it reaches through here: a name is looked up once, and what is dialled is what the guard let pass. Listens on
 * loopback until it is closed.
 */
export interface FilteringProxy {
  readonly port: number;
  /** The first connection to `host:port`. */
  readonly dialled: (authority: string) => Dialled | undefined;
  /** Why the last connection to `host:port` was not made. */
  readonly failureOf: (authority: string) => RunFailure | undefined;
  /** Hosts that were asked for, whatever came of it. */
  readonly hosts: () => readonly string[];
  readonly close: () => void;
}

interface State {
  readonly tools: RunTools;
  readonly signal: AbortSignal;
  readonly termination?: Termination | undefined;
  readonly dialled: Map<string, Dialled>;
  readonly failures: Map<string, RunFailure>;
  readonly hosts: Set<string>;
  readonly sockets: Set<Duplex>;
  dials: number;
  bytes: number;
  readonly isAsked: (host: string) => boolean;
  /** Ends the run: what it says is the run's failure. */
  readonly giveUp: (failure: RunFailure) => void;
}

/** `host:port` as it is kept, however it was written. */
const keyOf = (host: string, port: number): string => authorityOf(host.toLowerCase().replace(/\.$/, ''), port);

function keep(state: State, socket: Duplex): void {
  state.sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => state.sockets.delete(socket));
}

const startDial = (state: State): Run => {
  const { onProgress: _, ...tools } = state.tools;
  return startRun(tools, { signal: AbortSignal.any([state.signal, AbortSignal.timeout(DIAL_MS)]), timeoutMs: DIAL_MS });
};

function noteFailure(state: State, key: string, error: unknown): void {
  state.failures.set(key, error instanceof RunFailure ? error : new RunFailure('no_answer', `${key} does not answer.`));
}

async function refuseOwn({ isAsked, signal }: State, host: string): Promise<void> {
  if (!MAKERS.test(host.toLowerCase())) return;
  for (const endMs = performance.now() + ASKED_MS; performance.now() < endMs && !signal.aborted; await sleep(POLL_MS))
    if (isAsked(host.toLowerCase())) return;
  throw new RunFailure('target_refused', `${host} is a service of Chromium's own, which no page asked for.`);
}

async function connect(state: State, host: string, port: number): Promise<net.Socket> {
  const key = keyOf(host, port);
  state.hosts.add(host.toLowerCase());
  state.dials += 1;
  if (state.dials > MAX_DIALS) state.giveUp(new RunFailure('too_large', `The page makes more than ${MAX_DIALS} connections.`));
  const run = startDial(state);
  try {
    await refuseOwn(state, host);
    if (state.sockets.size > MAX_CONNECTIONS)
      throw new RunFailure('too_large', `The page keeps more than ${MAX_CONNECTIONS} connections.`);
    const socket = await dial(run, { host, port, family: 0 });
    keep(state, socket);
    // Where certificates are checked here, a connection alone says nothing of them: a browser makes another one beside one that failed.
    if (!state.termination) state.failures.delete(key);
    if (!state.dialled.has(key))
      state.dialled.set(key, { address: run.address ?? host, dnsMs: run.phases.dns, connectMs: run.phases.connect });
    return socket;
  } catch (error) {
    noteFailure(state, key, error);
    throw error;
  }
}

function readAuthority(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:/[\]@]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host !== undefined && port > 0 && port < 65_536 ? { host, port } : undefined;
}

/** Only where it is piped at the same time: whoever listens lets it flow. */
function countBytes(state: State, upstream: NodeJS.ReadableStream): void {
  upstream.on('data', (chunk: Buffer) => {
    state.bytes += chunk.length;
    if (state.bytes > MAX_BYTES)
      state.giveUp(new RunFailure('too_large', `The page loads more than ${MAX_BYTES / 1024 / 1024} MiB.`));
  });
}

function join(state: State, one: Duplex, other: Duplex): void {
  countBytes(state, other);
  for (const end of [one, other]) end.on('error', () => end.destroy());
  one.pipe(other).pipe(one);
  one.once('close', () => other.destroy());
  other.once('close', () => one.destroy());
}

async function tunnel(state: State, request: http.IncomingMessage, client: Duplex): Promise<void> {
  keep(state, client);
  const to = readAuthority(request.url ?? '');
  if (!to) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  let upstream: net.Socket;
  try {
    upstream = await connect(state, to.host, to.port);
  } catch {
    return void client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
  }
  if (client.destroyed) return void upstream.destroy();
  client.once('close', () => upstream.destroy());
  client.write('HTTP/1.1 200 OK\r\n\r\n');
  if (!state.termination) return join(state, client, upstream);
  try {
    const [inner, secured] = await terminate({ run: startDial(state), client, upstream, host: to.host }, state.termination);
    state.failures.delete(keyOf(to.host, to.port));
    join(state, inner, secured);
  } catch (error) {
    // Anything else is the browser's own end of a connection that it did not use.
    if (error instanceof RunFailure) noteFailure(state, keyOf(to.host, to.port), error);
    client.destroy();
  }
}

const fieldsOf = (raw: readonly string[]): string[] =>
  raw.flatMap((field, i) => (i % 2 === 0 && !HOP_BY_HOP.has(field.toLowerCase()) ? [field, raw[i + 1] ?? ''] : []));

/** Plain http; the body passes through in either direction, never as a whole. */
async function forward(state: State, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? '');
  if (url?.protocol !== 'http:') return void response.writeHead(400).end();
  const drop = (): void => void request.socket.destroy();
  try {
    const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80)];
    const socket = await connect(state, host, port);
    state.failures.delete(keyOf(host, port));
    const upstream = http.request({
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      headers: [...fieldsOf(request.rawHeaders), 'connection', 'close'],
      setHost: false,
    });
    upstream.on('error', drop);
    response.once('close', () => socket.destroy());
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, fieldsOf(answer.rawHeaders));
      answer.on('error', drop);
      countBytes(state, answer);
      answer.pipe(response);
    });
    request.pipe(upstream);
  } catch {
    // Without an answer: one of the proxy's own would look like the page's.
    drop();
  }
}

export interface ProxyOptions {
  readonly tools: RunTools;
  readonly signal: AbortSignal;
  /** Check certificates here, in Chromium's place. */
  readonly termination?: Termination | undefined;
  readonly giveUp: (failure: RunFailure) => void;
  /** Whether a page has asked for something of this host. */
  readonly isAsked: (host: string) => boolean;
}

export async function startFilteringProxy(options: ProxyOptions): Promise<FilteringProxy> {
  const state: State = {
    ...options,
    dialled: new Map(),
    failures: new Map(),
    hosts: new Set(),
    sockets: new Set(),
    dials: 0,
    bytes: 0,
  };
  const server = http.createServer((request, response) => void forward(state, request, response));
  server.on('connect', (request: http.IncomingMessage, client: Duplex, head: Buffer) => {
    if (head.length > 0) client.unshift(head);
    void tunnel(state, request, client);
  });
  server.on('connection', (socket) => keep(state, socket));
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    dialled: (authority) => state.dialled.get(authority),
    failureOf: (authority) => state.failures.get(authority),
    hosts: () => [...state.hosts],
    close: () => {
      server.close();
      for (const socket of state.sockets) socket.destroy();
    },
  };
}
