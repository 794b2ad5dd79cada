import { isIP } from 'node:net';
import tls from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import { exchange } from './exchange.ts';
import { type DialledAddress, destinationOf, findAddresses, hostOf, type LookUp, systemLookUp } from './find-addresses.ts';
import { type AddressJudge, createAddressJudge, type Destination } from './judge-address.ts';
import { describeFailure, type ForwardProxy, openSocket } from './open-socket.ts';
import {
  type ConnectRequest,
  type OutboundConnection,
  OutboundError,
  type OutboundFailure,
  type OutboundRequest,
  type OutboundResult,
} from './request.ts';
import { type SharedLookUp, shareLookUps } from './share-look-ups.ts';

const TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_BYTES = 65_536;

export interface OutboundOptions {
  /** SVC_OUTBOUND_ALLOW: addresses, CIDRs and host names, with or without ports, that may be dialled although they are not public. */
  allow?: readonly string[];
  /** PEM of SVC_OUTBOUND_CA_FILE: trusted beside the usual authorities. */
  ca?: string | undefined;
  /** http(s)://[user:password@]host:port of SVC_OUTBOUND_PROXY. */
  proxy?: string | undefined;
  log: Pick<FastifyBaseLogger, 'debug'>;
  lookUp?: LookUp;
}

/** The only way by which this server speaks to an address outside that an operator or a tenant configured (docs/outbound.md). */
export interface Outbound {
  /**
   * One request and its answer, whatever its status. Never rejects, never repeats, follows no redirect, and gives up at its time, at its
   * size, or with its signal.
   */
  send(request: OutboundRequest): Promise<OutboundResult>;
  /**
   * A connection for a protocol that is not HTTP: judged, looked up and led through the proxy as `send` does. It is plain unless asked to
   * be secure: the caller begins TLS on it with `ca`, checked for the host's name, and ends it.
   */
  connect(request: ConnectRequest): Promise<OutboundConnection | OutboundFailure>;
  /** Whether a URL leads to this machine's own loopback and nowhere else, as `send` would dial it now. Rejects never. */
  isLocal(url: string): Promise<boolean>;
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new OutboundError('url', 'The URL must begin with https://.');
  if (url.username || url.password) throw new OutboundError('url', `The URL of ${url.host} holds a user or a password.`);
  return url;
}

function readProxy(text: string | undefined): ForwardProxy | undefined {
  if (text === undefined) return undefined;
  const url = new URL(text);
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { url, authorization: login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}` };
}

interface Route {
  addresses: readonly DialledAddress[];
  proxy: ForwardProxy | undefined;
  isLocal: boolean;
}

interface Roads {
  judge: AddressJudge;
  lookUp: SharedLookUp;
  proxy: ForwardProxy | undefined;
}

/** Where a request goes: what is local never passes the proxy, and what the proxy alone can find is left to it. */
async function findRoute(
  roads: Roads,
  to: Destination,
  of: { share?: string | undefined; signal?: AbortSignal },
): Promise<Route> {
  const { host } = to;
  const { judge, proxy } = roads;
  const lookUp: LookUp = (name) => roads.lookUp(name, { share: of.share, signal: of.signal });
  try {
    const addresses = await findAddresses({ judge, lookUp }, to);
    const isLocal = addresses.every(({ address }) => judge.isLocal(address, to));
    return { addresses, isLocal, proxy: isLocal ? undefined : proxy };
  } catch (error) {
    const isUnknown = error instanceof OutboundError && error.fault === 'name_not_found' && isIP(host) === 0;
    if (!proxy || !isUnknown) throw error;
    return { addresses: [], isLocal: false, proxy };
  }
}

function toFailure(error: unknown, { host, mayHaveArrived }: { host: string; mayHaveArrived: boolean }): OutboundFailure {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  const isAbort = !isTimeout && error instanceof Error && error.name === 'AbortError';
  const known = isTimeout
    ? new OutboundError('timeout', `${host} did not answer in time.`)
    : isAbort
      ? new OutboundError('aborted', `The call to ${host} was cancelled.`)
      : describeFailure(error, host);
  return { ok: false, fault: known.fault, message: known.message, mayHaveArrived };
}

async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** AbortSignal.any with a reason that tells a time limit from a caller who gave up, whatever reason the caller gave. */
function limitOf({ timeoutMs = TIMEOUT_MS, signal }: Pick<OutboundRequest, 'timeoutMs' | 'signal'>): AbortSignal {
  const limit = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMEOUT_MS));
  if (!signal) return limit;
  const given = new AbortController();
  const abort = (): void => given.abort();
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return AbortSignal.any([limit, given.signal]);
}

interface Means {
  roads: Roads;
  authorities: readonly string[];
  log: OutboundOptions['log'];
}

async function carryOut(
  { roads, authorities }: Means,
  request: OutboundRequest,
  sent: { begun: boolean },
): Promise<OutboundResult> {
  const url = readUrl(request.url);
  const signal = limitOf(request);
  const to = destinationOf(url);
  const { host, port } = to;
  const isSecure = url.protocol === 'https:';
  const { addresses, proxy, isLocal } = await raceAbort(findRoute(roads, to, { share: request.share, signal }), signal);
  if (!isSecure && !isLocal)
    throw new OutboundError(
      'url',
      `${host} is asked by https:// alone: plain http is for a loopback address that SVC_OUTBOUND_ALLOW names.`,
    );
  if (request.localOnly && !isLocal) throw new OutboundError('address_refused', `${host} is not this machine's own loopback.`);
  const socket = await openSocket({ host, port, addresses, signal, ca: authorities }, proxy, isSecure);
  sent.begun = true;
  return await exchange({ request, url, socket, maxBytes: request.maxBytes ?? MAX_BYTES, signal, isLocal }).finally(() =>
    socket.destroy(),
  );
}

async function connect(
  { roads, authorities, log }: Means,
  request: ConnectRequest,
): Promise<OutboundConnection | OutboundFailure> {
  const { host, port, purpose } = request;
  const startedMs = performance.now();
  const signal = limitOf(request);
  let result: OutboundConnection | OutboundFailure;
  try {
    const { addresses, proxy } = await raceAbort(findRoute(roads, request, { share: request.share, signal }), signal);
    result = {
      ok: true,
      socket: await openSocket({ host, port, addresses, signal, ca: authorities }, proxy, request.isSecure ?? false),
      ca: authorities,
    };
  } catch (error) {
    result = toFailure(error, { host, mayHaveArrived: false });
  }
  const ms = Math.round(performance.now() - startedMs);
  log.debug({ purpose, host, ms, outcome: result.ok ? 'connected' : result.fault }, 'outbound connection');
  return result;
}

export function createOutbound({ allow = [], ca, proxy: proxyUrl, log, lookUp = systemLookUp }: OutboundOptions): Outbound {
  const roads: Roads = { judge: createAddressJudge(allow), lookUp: shareLookUps(lookUp), proxy: readProxy(proxyUrl) };
  const authorities = [...tls.getCACertificates('default'), ...(ca === undefined ? [] : [ca])];
  const means: Means = { roads, authorities, log };
  return {
    async send(request) {
      const startedMs = performance.now();
      const sent = { begun: false };
      let host = 'The address';
      let result: OutboundResult;
      try {
        host = hostOf(readUrl(request.url));
        result = await carryOut(means, request, sent);
      } catch (error) {
        result = toFailure(error, { host, mayHaveArrived: sent.begun });
      }
      const ms = Math.round(performance.now() - startedMs);
      log.debug({ purpose: request.purpose, host, ms, outcome: result.ok ? result.status : result.fault }, 'outbound call');
      return result;
    },
    connect: (request) => connect(means, request),
    async isLocal(url) {
      try {
        return (await findRoute(roads, destinationOf(readUrl(url)), {})).isLocal;
      } catch {
        return false;
      }
    },
  };
}
