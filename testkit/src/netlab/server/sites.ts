/** HTTP and HTTPS of the lab's server: what each name answers, and how. */
import http from 'node:http';
import https from 'node:https';
import type net from 'node:net';
import tls from 'node:tls';
import type { CertificateKind, KeyPair } from '../certificates.ts';
import type { ServerSettings, SiteSettings } from './server-settings.ts';

const MAX_BYTES = 10_000_000;
const HTTPS_PORT = 443;
/** Late enough that the connection stands, early enough that TLS does not. */
const RESET_AFTER_MS = 5;

export interface Sites {
  set(settings: ServerSettings): void;
  useCertificates(pairs: Readonly<Record<CertificateKind, KeyPair>>): void;
}

export function startSites(): Sites {
  let common: SiteSettings = {};
  const own = new Map<string, SiteSettings>();
  const certificates = new Map<CertificateKind, KeyPair & { context: tls.SecureContext }>();
  let mode: NonNullable<ServerSettings['https']> = 'open';
  const siteOf = (name: string): SiteSettings => ({ ...common, ...own.get(name) });

  const onRequest: http.RequestListener = (request, response) => {
    const site = siteOf((request.headers.host ?? '').replace(/:\d+$/, ''));
    const url = new URL(request.url ?? '/', 'http://lab.test');
    if (site.hangsUp) request.socket.destroy();
    else if (url.pathname === '/redirect') response.writeHead(302, { location: '/' }).end();
    else answer(response, site, url.searchParams);
  };
  const contextFor = (name: string): tls.SecureContext | undefined =>
    certificates.get(siteOf(name).certificate ?? 'valid')?.context;
  const secure = https.createServer(
    {
      SNICallback: (name, done) => {
        // A handshake that is to be reset waits for that, on a machine of any speed.
        if (mode !== 'reset') done(null, contextFor(name));
      },
    },
    onRequest,
  );
  secure.on('connection', (socket: net.Socket) => {
    if (mode === 'reset') setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS);
  });
  secure.on('tlsClientError', () => undefined);
  secure.listen(HTTPS_PORT, '::');
  http.createServer(onRequest).listen(80, '::');

  const useMode = (wanted: typeof mode): void => {
    if (wanted === 'closed') secure.close();
    else if (mode === 'closed') secure.listen(HTTPS_PORT, '::');
    mode = wanted;
  };
  return {
    set({ sites = {}, https: wanted, ...settings }) {
      common = { ...common, ...settings };
      for (const [name, site] of Object.entries(sites)) own.set(name, { ...own.get(name), ...site });
      // Numeric addresses come without a name.
      const pair = certificates.get(common.certificate ?? 'valid');
      if (pair) secure.setSecureContext({ cert: pair.cert, key: pair.key });
      if (wanted !== undefined) useMode(wanted);
    },
    useCertificates(pairs) {
      for (const [kind, pair] of Object.entries(pairs)) {
        certificates.set(kind as CertificateKind, { ...pair, context: tls.createSecureContext(pair) });
      }
      secure.setSecureContext(pairs.valid);
    },
  };
}

/** `/?delay=ms&bytes=n` answers after a delay of its own. */
function answer(response: http.ServerResponse, site: SiteSettings, asked: URLSearchParams): void {
  const delayMs = Number(asked.get('delay') ?? site.delayMs ?? 0);
  const bytes = Math.min(MAX_BYTES, Number(asked.get('bytes') ?? site.bytes ?? 1000));
  setTimeout(() => {
    response.writeHead(site.status ?? 200, { 'content-type': 'text/plain' });
    if (!site.bodyMs) {
      response.end('x'.repeat(bytes));
      return;
    }
    response.write('x'.repeat(bytes / 2));
    setTimeout(() => response.end('x'.repeat(bytes / 2)), site.bodyMs);
  }, delayMs);
}
