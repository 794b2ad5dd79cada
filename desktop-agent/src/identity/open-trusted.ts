import { isIP } from 'node:net';
import { connect, getCACertificates, type TLSSocket } from 'node:tls';
import { isCertificateCode } from '@svc/contracts/session-failure';
import { AgentError } from '../agent-error.ts';
import { checkPin, presentedChain } from './pin.ts';

export interface Server {
  /** `https://host:port` */
  url: string;
  pin?: string | undefined;
}

const TIMEOUT_MS = 20_000;

/** What went wrong on the way to a server, in words. */
export function explainUnreached(error: NodeJS.ErrnoException, server: Server): AgentError {
  if (error instanceof AgentError) return error;
  const code = error.code ?? '';
  if (isCertificateCode(code))
    return new AgentError(
      'untrusted',
      `This device does not trust the certificate of ${server.url} (${code}). A token with a pin, or a certificate of a known authority, is needed.`,
      { cause: error },
    );
  return new AgentError('unreachable', `${server.url} cannot be reached: ${code || error.message}.`, { cause: error });
}

/** Also the roots that a company installed; undefined, which means Node's own, on the old Electron that the tests use. */
const systemRoots = (): string[] | undefined =>
  typeof getCACertificates === 'function' ? [...getCACertificates('default'), ...getCACertificates('system')] : undefined;

/** Opens TLS and proves the server before a single byte of ours is sent. */
export function openTrusted(server: Server): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const trust = server.pin === undefined ? { ca: systemRoots() } : {};
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(isIP(host) ? {} : { servername: host }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      rejectUnauthorized: server.pin === undefined,
      timeout: TIMEOUT_MS,
      ...trust,
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    socket.once('error', (error) => reject(explainUnreached(error, server)));
    socket.once('secureConnect', () => {
      try {
        if (server.pin !== undefined) checkPin(presentedChain(socket), server.pin, Date.now());
        resolve(socket);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
  });
}
