/** What the lab's server offers: HTTPS on 443, HTTP on 80, an HTTP proxy with CONNECT on 3128 and DNS on 53, over IPv4 and IPv6. */
import dgram from 'node:dgram';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { serveControl } from './control.ts';
import { answerQuery } from './dns-answer.ts';
import { SERVER, SERVER_NAME } from './topology.ts';

interface ServerState {
  /** Until the first byte of an answer. */
  delayMs: number;
  dnsDelayMs: number;
  /** HTTP status of `/`. */
  status: number;
}

const state: ServerState = { delayMs: 0, dnsDelayMs: 0, status: 200 };
const MAX_BYTES = 10_000_000;

/** `/?delay=ms&bytes=n` answers after a delay of its own; `/redirect` points to `/`. */
const onRequest: http.RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', `http://${SERVER_NAME}`);
  if (url.pathname === '/redirect') {
    response.writeHead(302, { location: '/' }).end();
    return;
  }
  const delayMs = Number(url.searchParams.get('delay') ?? state.delayMs);
  const bytes = Math.min(MAX_BYTES, Number(url.searchParams.get('bytes') ?? 1000));
  setTimeout(() => response.writeHead(state.status, { 'content-type': 'text/plain' }).end('x'.repeat(bytes)), delayMs);
};

const secure = https.createServer({}, onRequest).listen(443, '::');
http.createServer(onRequest).listen(80, '::');
http
  .createServer()
  .on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1] ?? 443);
    const upstream = net.connect(port, SERVER.v4, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  })
  .listen(3128, '::');

const dns = dgram.createSocket('udp6');
dns.on('message', (query, peer) => {
  const answer = answerQuery(query, { [SERVER_NAME]: SERVER });
  if (answer) setTimeout(() => dns.send(answer, peer.port, peer.address), state.dnsDelayMs);
});
/** The first setting brings the certificate: it goes over standard input, not through the environment. */
function applySetting(setting: object): void {
  const { cert, key, ...values } = setting as Partial<ServerState & { cert: string; key: string }>;
  if (cert !== undefined && key !== undefined) secure.setSecureContext({ cert, key });
  Object.assign(state, values);
}

dns.bind(53, '::', () => serveControl(applySetting));
