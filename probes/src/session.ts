import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type FailureKind, failureKindOf, type SessionPhase } from '@svc/contracts/session-failure';
import type { CertificateFault } from './certificate-fault.ts';
import { longestPhase, type MeasuredPhase } from './longest-phase.ts';
import type { PathMtuMeasurement } from './path-mtu.ts';
import { type ConnectAttempt, connectTo, resolveHost } from './session-connect.ts';
import { codeOf, SessionFailure } from './session-failure.ts';
import { fetchOnce } from './session-request.ts';
import { openTunnel, secureSocket } from './session-secure.ts';
import { trustOf } from './trust.ts';

export type { CertificateFault, ConnectAttempt, FailureKind, MeasuredPhase, SessionPhase };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const DEFAULTS = { timeoutMs: 10_000, maxRedirects: 5, maxBytes: 65_536 } as const;

export interface SessionRequest {
  /** http or https. */
  readonly url: string;
  /** For the whole session with its redirects, default 10000. */
  readonly timeoutMs?: number;
  /** Default 5. */
  readonly maxRedirects?: number;
  /** Reading stops here, default 65536. */
  readonly maxBytes?: number;
  /** Whom to trust, made by `trustOf`; default: Node's own roots. */
  readonly trust?: SecureContext;
  /** Gives `http://host:port` of the proxy for a URL, or null for none. */
  readonly proxyFor?: (url: string) => Promise<string | null>;
  readonly signal?: AbortSignal;
}

/** A connection that stood and then fell silent. */
export interface Stall {
  readonly phase: 'proxy' | 'tls' | 'request' | 'body';
  /** Bytes that this device sent and received on the connection until then, TLS included. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** A cold session: no kept connection, no resumed TLS, no cache. Phases are summed over redirects; null: not reached or not part. */
export interface SessionMeasurement {
  readonly url: string;
  readonly success: boolean;
  readonly status: number | null;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  /** Of `connectMs`, what the proxy took to open the tunnel. */
  readonly proxyMs?: number | null;
  /** From the request to the answer's first byte. */
  readonly ttfbMs: number | null;
  /** From the start to the last byte read, or to the failure. */
  readonly totalMs: number;
  readonly redirects: number;
  readonly bytes: number;
  readonly family: 4 | 6 | null;
  readonly serverPort: number | null;
  readonly viaProxy: boolean;
  readonly attempts: readonly ConnectAttempt[];
  /** Plain http was answered with a redirect to another site than the one asked for, as sign-in pages of networks do. */
  readonly ledAway?: boolean;
  readonly errorPhase: SessionPhase | null;
  /** Short code such as ENOTFOUND, ECONNREFUSED, ETIMEDOUT, CERT_HAS_EXPIRED, PROXY_407, HTTP_500. */
  readonly error: string | null;
  /** What failed, by phase and code; null: nothing did. */
  readonly failure?: FailureKind | null;
  /** Where `failure` is `certificate`. */
  readonly certificate?: CertificateFault;
  /** Where `failure` is `stalled`. */
  readonly stall?: Stall;
  /**
   * Of a failed HTTPS session: what its host says to plain http. `led_away`: a redirect to another site, as sign-in pages do;
   * `own_answer`: any other, a refusal included. Absent where nobody asked.
   */
  readonly plainHttp?: 'led_away' | 'own_answer' | 'silent';
  /** Of a session that stalled where large packets begin: whether the path carries them. Absent where nobody looked. */
  readonly pathMtu?: PathMtuMeasurement;
  /** The phase with most of the time; null where none has half of it. */
  readonly longestPhase?: MeasuredPhase | null;
  /** Numeric address of the peer, the proxy's where there is one. Stays in memory. */
  readonly address?: string;
}

/** Success is an answer below 500: a refusal by the service is no fault of the network. Rejects only on a URL that is none (RangeError) or when aborted (the signal's reason). */
export type MeasureSession = (request: SessionRequest) => Promise<SessionMeasurement>;

/** What is known so far; a failure leaves the rest as it is. */
type Progress = { -readonly [K in keyof SessionMeasurement]: SessionMeasurement[K] };

export const measureSession: MeasureSession = async (request) => {
  const first = parseTarget(request.url);
  if (!first) throw new RangeError(`not an http or https URL: ${request.url.slice(0, 200)}`);
  // Made before the clock starts: no session measures it.
  const context = request.trust ?? trustOf();
  const startedMs = performance.now();
  const progress = startProgress(request.url);
  const limit = AbortSignal.timeout(request.timeoutMs ?? DEFAULTS.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
  try {
    await followRedirects(first, { ...request, signal, context }, progress);
  } catch (error) {
    request.signal?.throwIfAborted();
    const failure = error instanceof SessionFailure ? error : new SessionFailure('request', codeOf(error));
    noteFailure(progress, failure, limit.aborted);
  }
  progress.totalMs = performance.now() - startedMs;
  return { ...progress, longestPhase: longestPhase(progress) };
};

function noteFailure(progress: Progress, failure: SessionFailure, isLate: boolean): void {
  const { phase, certificate } = failure;
  const code = isLate ? 'ETIMEDOUT' : failure.code;
  const kind = failureKindOf({ phase, code, viaProxy: progress.viaProxy, hasCertificateFault: certificate !== undefined });
  Object.assign(progress, { success: false, errorPhase: phase, error: code, failure: kind });
  if (certificate) progress.certificate = certificate;
}

const startProgress = (url: string): Progress => ({
  url,
  success: false,
  status: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  ttfbMs: null,
  totalMs: 0,
  redirects: 0,
  bytes: 0,
  family: null,
  serverPort: null,
  viaProxy: false,
  attempts: [],
  errorPhase: null,
  error: null,
  failure: null,
});

type Limited = SessionRequest & { readonly signal: AbortSignal; readonly context: SecureContext };

async function followRedirects(first: URL, request: Limited, progress: Progress): Promise<void> {
  for (let url = first; ; ) {
    const location = await measureHop(url, request, progress);
    if (location === undefined) return;
    const next = parseTarget(location, url);
    if (next && url.protocol === 'http:' && siteOf(next) !== siteOf(first)) progress.ledAway = true;
    if (progress.redirects >= (request.maxRedirects ?? DEFAULTS.maxRedirects))
      throw new SessionFailure('redirect', 'TOO_MANY_REDIRECTS');
    if (!next) throw new SessionFailure('redirect', 'BAD_REDIRECT');
    progress.redirects += 1;
    url = next;
  }
}

/** One request on a connection of its own; gives where it is redirected to. */
async function measureHop(url: URL, request: Limited, progress: Progress): Promise<string | undefined> {
  const { signal } = request;
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  const proxy = await findProxy(url, request);
  const peer = proxy ? { host: proxy.hostname, port: Number(proxy.port || 80) } : { host: url.hostname, port };
  Object.assign(progress, { viaProxy: proxy !== null, serverPort: port });

  const resolved = await resolveHost(peer.host, signal);
  if (resolved.dnsMs !== null) progress.dnsMs = add(progress.dnsMs, resolved.dnsMs);
  const connection = await connectTo(peer.port, resolved.addresses, signal);
  progress.attempts = connection.attempts;
  if (!connection.socket) throw new SessionFailure('connect', connection.error);
  let socket = connection.socket;
  try {
    progress.connectMs = add(progress.connectMs, connection.connectMs);
    progress.family = connection.family;
    if (connection.socket.remoteAddress !== undefined) progress.address = connection.socket.remoteAddress;
    if (proxy && secure) {
      const tunnelMs = await openTunnel(socket, `${url.hostname}:${port}`, signal);
      progress.connectMs += tunnelMs;
      progress.proxyMs = add(progress.proxyMs ?? null, tunnelMs);
    }
    if (secure) {
      const secured = await secureSocket(socket, { host: url.hostname, context: request.context }, signal);
      progress.tlsMs = add(progress.tlsMs, secured.tlsMs);
      socket = secured.socket;
    }
    const absolute = proxy !== null && !secure;
    const answer = await fetchOnce(socket, { url, absolute, maxBytes: request.maxBytes ?? DEFAULTS.maxBytes }, signal);
    progress.ttfbMs = add(progress.ttfbMs, answer.ttfbMs);
    progress.bytes += answer.bytes;
    return settleAnswer(answer, progress);
  } catch (error) {
    if (signal.aborted && error instanceof SessionFailure) noteStall(progress, error.phase, connection.socket);
    throw error;
  } finally {
    socket.destroy();
    connection.socket.destroy();
  }
}

function noteStall(progress: Progress, phase: SessionPhase, socket: Socket): void {
  if (phase !== 'proxy' && phase !== 'tls' && phase !== 'request' && phase !== 'body') return;
  progress.stall = { phase, sentBytes: socket.bytesWritten, receivedBytes: socket.bytesRead };
}

function settleAnswer(answer: { status: number; location: string | undefined }, progress: Progress): string | undefined {
  progress.status = answer.status;
  if (progress.viaProxy && answer.status === 407) throw new SessionFailure('proxy', 'PROXY_407');
  if (REDIRECTS.has(answer.status) && answer.location !== undefined) return answer.location;
  if (answer.status >= 500) throw new SessionFailure('request', `HTTP_${answer.status}`);
  progress.success = true;
  return undefined;
}

async function findProxy(url: URL, request: Limited): Promise<URL | null> {
  const proxy = await request.proxyFor?.(url.href);
  if (proxy === undefined || proxy === null) return null;
  const parsed = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (parsed?.protocol !== 'http:') throw new SessionFailure('proxy', 'PROXY_UNSUPPORTED');
  return parsed;
}

/** Addresses are sites of their own; of names the last two labels, which is enough to tell a stranger. */
const siteOf = ({ hostname }: URL): string =>
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname.split('.').slice(-2).join('.') : hostname;

function parseTarget(text: string, base?: URL): URL | undefined {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

const add = (sum: number | null, part: number): number => (sum ?? 0) + part;
