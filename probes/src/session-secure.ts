import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import { describeCertificateFault } from './certificate-fault.ts';
import { codeOf, runPhase, SessionFailure } from './session-failure.ts';

/** Asks an HTTP proxy for a tunnel to `host:port`; gives the milliseconds it took. A proxy that refuses is `PROXY_<status>`. */
export async function openTunnel(socket: net.Socket, authority: string, signal: AbortSignal): Promise<number> {
  const startedMs = performance.now();
  const status = await runPhase<number>('proxy', signal, ({ done, fail }) => {
    const request = http.request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority },
    });
    request.once('connect', (answer) => done(answer.statusCode ?? 0));
    request.once('response', (answer) => done(answer.statusCode ?? 0));
    request.once('error', fail);
    request.end();
    return () => request.destroy();
  });
  if (status !== 200) throw new SessionFailure('proxy', `PROXY_${status}`);
  return performance.now() - startedMs;
}

export interface SecureOptions {
  readonly host: string;
  readonly context: tls.SecureContext;
}

/** Why the certificate does not hold for the host; undefined where it does. */
function certificateFailure(secured: tls.TLSSocket): SessionFailure | undefined {
  if (secured.authorized) return undefined;
  // An error's code, or the error itself where it has none.
  const reason: unknown = secured.authorizationError;
  const code = typeof reason === 'string' ? reason.slice(0, 64) : codeOf(reason);
  return new SessionFailure('tls', code, describeCertificateFault(code, secured.getPeerX509Certificate()));
}

/** A full TLS handshake, never a resumed one; the certificate must hold for the host. */
export function secureSocket(
  socket: net.Socket,
  options: SecureOptions,
  signal: AbortSignal,
): Promise<{ socket: tls.TLSSocket; tlsMs: number }> {
  const startedMs = performance.now();
  const host = options.host.replace(/^\[|\]$/g, '');
  return runPhase('tls', signal, ({ done, fail }) => {
    const secured = tls.connect({
      socket,
      host,
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      secureContext: options.context,
      ALPNProtocols: ['http/1.1'],
      // Node would drop the certificate with the connection; it is refused below, before anything is sent.
      rejectUnauthorized: false,
    });
    secured.on('error', fail);
    secured.once('close', () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    secured.once('secureConnect', () => {
      const refused = certificateFailure(secured);
      if (!refused) return done({ socket: secured, tlsMs: performance.now() - startedMs });
      secured.destroy();
      fail(refused);
    });
    return () => secured.destroy();
  });
}
