import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { DialledAddress } from './find-addresses.ts';
import { OutboundError } from './request.ts';

const CODES_OF_TLS = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;
const MIN_VERSION = 'TLSv1.2';
const MAX_PROXY_HEAD_BYTES = 16_384;

export interface ForwardProxy {
  url: URL;
  /** `Basic ...`; undefined without a login. */
  authorization: string | undefined;
}

export interface Dialling {
  host: string;
  port: number;
  addresses: readonly DialledAddress[];
  signal: AbortSignal;
  ca: readonly string[];
}

const contexts = new WeakMap<readonly string[], tls.SecureContext>();

/** Made once for the same authorities: reading all that a system trusts takes 25 ms of this thread, more than the rest of a connection. */
function contextOf(ca: readonly string[]): tls.SecureContext {
  const known = contexts.get(ca) ?? tls.createSecureContext({ ca: [...ca], minVersion: MIN_VERSION });
  contexts.set(ca, known);
  return known;
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** What a failed connection is, in words that name the host alone. */
export function describeFailure(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  if (CODES_OF_TLS.test(code))
    return new OutboundError('tls', `The certificate or the TLS of ${host} was not accepted (${code}).`, error);
  return new OutboundError('connect', `${host} did not take the connection${code ? ` (${code})` : ''}.`, error);
}

async function ready(socket: net.Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    const end = (act: () => void) => (): void => {
      signal.removeEventListener('abort', abort);
      act();
    };
    socket.once(event, end(resolve));
    socket.once('error', (error) => end(() => reject(error))());
    socket.once(
      'close',
      end(() => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))),
    );
  });
}

/** A connection to the first of the addresses that takes one. */
async function connectTo({ addresses, port, host, signal }: Dialling): Promise<net.Socket> {
  let last: unknown;
  for (const { address, family } of addresses) {
    const socket = net.connect({ host: address, port, family });
    try {
      await ready(socket, 'connect', signal);
      return socket;
    } catch (error) {
      if (signal.aborted) throw error;
      last = error;
    }
  }
  throw describeFailure(last, host);
}

/** TLS over a connection, with the certificate checked for the host. */
export async function secure(socket: net.Socket, { host, ca, signal }: Dialling): Promise<tls.TLSSocket> {
  const secured = tls.connect({
    socket,
    host,
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    secureContext: contextOf(ca),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await ready(secured, 'secureConnect', signal);
    return secured;
  } catch (error) {
    secured.destroy();
    throw signal.aborted ? error : describeFailure(error, host);
  }
}

/** A tunnel to the host by CONNECT. Where the proxy leads is its own: the address of the host was judged before where it is known. */
export async function tunnel({ url, authorization }: ForwardProxy, dialling: Dialling): Promise<net.Socket> {
  const { host, port, signal, ca } = dialling;
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const client = url.protocol === 'https:' ? https : http;
  const asked = client.request({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    agent: false,
    signal,
    maxHeaderSize: MAX_PROXY_HEAD_BYTES,
    headers: { host: authority, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
    ...(url.protocol === 'https:' ? { secureContext: contextOf(ca) } : {}),
  });
  return await new Promise<net.Socket>((resolve, reject) => {
    const refuse = (words: string, cause?: unknown): void => reject(new OutboundError('proxy', words, cause));
    asked.once('connect', (answer, socket) => {
      if (answer.statusCode === 200) return resolve(socket);
      socket.destroy();
      refuse(`The proxy of SVC_OUTBOUND_PROXY refused ${authority} (status ${answer.statusCode ?? 'unknown'}).`);
    });
    asked.once('response', (answer) => {
      answer.destroy();
      refuse(`The proxy of SVC_OUTBOUND_PROXY refused ${authority} (status ${answer.statusCode ?? 'unknown'}).`);
    });
    asked.once('error', (error) =>
      signal.aborted
        ? reject(signal.reason)
        : refuse(`The proxy of SVC_OUTBOUND_PROXY was not reached (${codeOf(error)}).`, error),
    );
    asked.end();
  });
}

export async function openSocket(dialling: Dialling, proxy: ForwardProxy | undefined, isSecure: boolean): Promise<net.Socket> {
  const socket = proxy ? await tunnel(proxy, dialling) : await connectTo(dialling);
  // A socket that nobody listens to would end the process when it breaks.
  socket.on('error', () => undefined);
  return isSecure ? await secure(socket, dialling) : socket;
}
