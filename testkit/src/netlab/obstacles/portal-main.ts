/** A network's sign-in page, on the gateway: DNS, HTTP and HTTPS of whatever address leads here. argv: `honest` or `all`, for DNS. */
import http from 'node:http';
import https from 'node:https';
import type { KeyPair } from '../certificates.ts';
import { serveControl } from '../control.ts';
import { startDns } from '../server/dns-server.ts';
import { HOPS, SERVER, SERVER_NAMES } from '../topology.ts';
import { PORTAL_URL } from './portal.ts';

const answersAll = process.argv[2] === 'all';

const onRequest: http.RequestListener = (_request, response) => response.writeHead(302, { location: PORTAL_URL }).end();
http.createServer(onRequest).listen(80, '::');
const secure = https.createServer({}, onRequest).listen(443, '::');
secure.on('tlsClientError', () => undefined);

const dns = startDns(Object.fromEntries(SERVER_NAMES.map((name) => [name, SERVER])), () =>
  serveControl((setting) => secure.setSecureContext(setting as KeyPair)),
);
if (answersAll) dns.set(4, { mode: 'lying', answer: HOPS.v4[0] });
