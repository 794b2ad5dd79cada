import { createHash, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { connect, getCACertificates, type TLSSocket } from 'node:tls';
import { CanaryFault } from '../canary-fault.ts';

export interface Server {
  /** `https://host:port` */
  url: string;
  /** base64url SHA-256 of the SubjectPublicKeyInfo of the CA that signs the server's certificate; undefined: the system's roots decide. */
  pin: string | undefined;
}

export interface JsonAnswer {
  status: number;
  body: unknown;
  /** The server's clock by its Date header, Unix milliseconds. */
  serverMs: number | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;

const pinOf = (certificate: X509Certificate): string =>
  createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

function presentedChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let next = socket.getPeerX509Certificate(); next && chain.length < 8; next = next.issuerCertificate) {
    const { raw } = next;
    if (chain.some((seen) => seen.raw.equals(raw))) break;
    chain.push(next);
  }
  return chain;
}

/** The chain must lead, signature by signature, to the CA whose key the token named; names are not looked at, as that CA signs for one server alone. */
function checkPin(chain: readonly X509Certificate[], pin: string): void {
  const at = chain.findIndex((certificate) => pinOf(certificate) === pin);
  const whole = chain.slice(0, Math.max(0, at)).every((child, i) => {
    const issuer = chain[i + 1] as X509Certificate;
    return issuer.ca && child.checkIssued(issuer) && child.verify(issuer.publicKey);
  });
  const leaf = chain[0];
  if (at < 0 || !whole || !leaf)
    throw new CanaryFault('untrusted', 'The server’s certificate is not the one that the token names. Is the address right?');
  if (leaf.validToDate.getTime() < Date.now())
    throw new CanaryFault('untrusted', `The server’s certificate expired on ${leaf.validTo}. Check this machine’s clock too.`);
}

function explain(error: NodeJS.ErrnoException, { url }: Server): CanaryFault {
  if (error instanceof CanaryFault) return error;
  const code = error.code ?? '';
  if (/^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return new CanaryFault('untrusted', `This machine does not trust the certificate of ${url} (${code}).`, { cause: error });
  return new CanaryFault('unreachable', `${url} cannot be reached: ${code || error.message}.`, { cause: error });
}

/** Opens TLS and proves the server before a byte of ours is sent. */
function openTrusted(server: Server): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const roots = server.pin === undefined ? { ca: [...getCACertificates('default'), ...getCACertificates('system')] } : {};
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], minVersion: 'TLSv1.2', timeout: TIMEOUT_MS },
      ...(isIP(host) ? {} : { servername: host }),
      rejectUnauthorized: server.pin === undefined,
      ...roots,
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    socket.once('error', (error) => reject(explain(error, server)));
    socket.once('secureConnect', () => {
      try {
        if (server.pin !== undefined) checkPin(presentedChain(socket), server.pin);
        resolve(socket);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
  });
}

async function readAnswer(message: IncomingMessage): Promise<JsonAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new CanaryFault('refused', 'The server’s answer is too large to be one.');
    parts.push(part);
  }
  const serverMs = Date.parse(message.headers.date ?? '');
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    return { status: message.statusCode ?? 0, body, serverMs: Number.isNaN(serverMs) ? undefined : serverMs };
  } catch (cause) {
    const words = `The server answered ${message.statusCode} without a document. Is this the right address?`;
    throw new CanaryFault('refused', words, { cause });
  }
}

/** POSTs one JSON document to a server that was proven first; an answer of any status is returned. Throws CanaryFault. */
export async function postTrusted(server: Server, path: string, document: unknown): Promise<JsonAnswer> {
  const socket = await openTrusted(server);
  const content = Buffer.from(JSON.stringify(document));
  const { host } = new URL(server.url);
  const headers = { host, 'content-type': 'application/json', accept: 'application/json, application/problem+json' };
  try {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request({
        ...{ createConnection: () => socket, host, path, method: 'POST', timeout: TIMEOUT_MS },
        headers: { ...headers, 'content-length': content.length, connection: 'close' },
      });
      call.once('timeout', () => call.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
      call.once('response', resolve);
      call.once('error', (error) => reject(explain(error, server)));
      call.end(content);
    });
    return await readAnswer(message);
  } finally {
    socket.destroy();
  }
}
