// What the demo's synthetic tests measure: small servers on loopback, some of which fail on a schedule.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp } from 'node:net';
import { dirname, join } from 'node:path';
import { stretchAt } from './visits.js';

export const LOOPBACK = '127.0.0.1';
const MINUTE_MS = 60_000;

/** Down for so many minutes of every so many, by the clock alone: whoever starts the demo again finds the same schedule. */
export const isDown = (nowMs, { of, every }) => Math.floor(nowMs / MINUTE_MS) % every < of;
/** Often enough to be seen in the first ten minutes; it re-opens its incident. */
export const CHECKOUT_DOWN = { of: 2, every: 10 };
/** Seldom enough that each time is an incident of its own: the same again within an hour would re-open the last. */
export const MAIL_DOWN = { of: 3, every: 90 };
/** Nobody has mended it yet: its incident is as old as the demo. */
export const PARTNER_DOWN = { of: 1, every: 1 };

const page = (title, rest) => `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${rest}</html>`;
const PAGES = {
  '/': page('Fennmark shop', '<p>Open for orders.</p><p><a href="/basket">Basket</a></p>'),
  '/basket': page('Your basket', '<p>Nothing in it yet.</p>'),
};

/** The lines that a page of the shop has in its head: none before the app is there. */
let snippet = '';
export const putSnippet = (lines) => {
  snippet = lines;
};

/** A page of the shop that measures its visitors once they agree, as any page with a banner does. */
const visitedPage = () => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fennmark shop</title>
${snippet}
</head><body><h1>Fennmark shop</h1><p>Open for orders.</p>
<div role="region" aria-label="Consent"><p>May we measure how fast this page is? No cookie, no address, no person.</p>
<button onclick="svcRUM.consent();this.parentNode.hidden=true">Agree</button>
<button onclick="svcRUM.withdraw();this.parentNode.hidden=true">No</button></div>
<p><button onclick="for(const end=performance.now()+400;performance.now()<end;);">Slow answer</button>
<button onclick="throw new Error('broken')">Script error</button></p></body></html>`;

function answerHttp(request, answer) {
  const { pathname } = new URL(request.url, 'http://shop');
  const send = (status, type, body) => {
    answer.writeHead(status, { 'content-type': type });
    answer.end(body);
  };
  if (PAGES[pathname]) return send(200, 'text/html; charset=utf-8', PAGES[pathname]);
  if (pathname === '/partner/health' && isDown(Date.now(), PARTNER_DOWN))
    return send(410, 'application/json', '{"status":"gone","reason":"this interface was switched off"}');
  if (pathname === '/visit') return send(200, 'text/html; charset=utf-8', visitedPage());
  if (pathname === '/checkout/page' && stretchAt(Date.now()).testsFail)
    return send(503, 'application/json', '{"status":"down","reason":"the payment provider does not answer"}');
  if (pathname === '/checkout/page') return send(200, 'text/html; charset=utf-8', page('Checkout', '<p>Pay here.</p>'));
  if (pathname === '/checkout/health' && isDown(Date.now(), CHECKOUT_DOWN))
    return send(503, 'application/json', '{"status":"down","reason":"the payment provider does not answer"}');
  if (pathname.endsWith('/health')) return send(200, 'application/json', '{"status":"up"}');
  return send(404, 'text/plain', 'There is no such page.');
}

/** The answer to a DNS query: its question, and for a name of type A the loopback address for 60 s. */
export function answerDns(query) {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8580, 2);
  header.fill(0, 6);
  let end = 12;
  while (end < query.length && query[end] !== 0) end += query[end] + 1;
  const question = query.subarray(12, end + 5);
  if (question.length < 5 || end + 5 > query.length) return undefined;
  const isA = question.readUInt16BE(question.length - 4) === 1;
  if (!isA) return Buffer.concat([header, question]);
  header.writeUInt16BE(1, 6);
  // The name of the question, A, IN, 60 s, four bytes.
  const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, question, answer]);
}

function greetAsMail(socket) {
  socket.on('error', () => {});
  if (isDown(Date.now(), MAIL_DOWN)) socket.resetAndDestroy();
  else socket.end('220 mail.fennmark.test ESMTP\r\n');
}

/** A datagram socket that answers each message with what `reply` makes of it. */
function createUdp(reply) {
  const socket = createSocket('udp4');
  socket.on('error', () => {});
  socket.on('message', (message, { port, address }) => {
    const answer = reply(message);
    if (answer) socket.send(answer, port, address);
  });
  return socket;
}

/** On the port that it had before, so that its test keeps its target; on any where another program has that by now. */
async function listen(server, port) {
  const begin = (wanted) => {
    if (server.bind) server.bind(wanted, LOOPBACK);
    else server.listen(wanted, LOOPBACK);
    return once(server, 'listening');
  };
  await begin(port ?? 0).catch(() => begin(0));
  return server.address().port;
}

function readPorts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** The server's own certificate on this data directory; undefined where it runs with one of its operator's. */
function certificateOf(dataDir) {
  const [ca, cert, key] = ['ca.crt', 'server.crt', 'server.key'].map((name) => join(dataDir, 'tls', name));
  return [ca, cert, key].every((file) => existsSync(file))
    ? { ca: readFileSync(ca, 'utf8'), cert: readFileSync(cert), key: readFileSync(key) }
    : undefined;
}

/**
 * Starts them; gives their ports, what the https one is trusted by, and what stops them.
 * @param {{ dataDir: string, tenant: string }} where
 */
export async function startTargets({ dataDir, tenant }) {
  const tls = certificateOf(dataDir);
  const servers = {
    http: createHttp(answerHttp),
    ...(tls ? { https: createHttps({ cert: tls.cert, key: tls.key }, answerHttp) } : {}),
    dns: createUdp(answerDns),
    tcp: createTcp(greetAsMail),
    udp: createUdp((message) => message),
  };
  const file = join(dataDir, tenant, 'targets.json');
  const before = readPorts(file);
  /** @type {Record<string, number>} */
  const ports = {};
  for (const [name, server] of Object.entries(servers)) ports[name] = await listen(server, before[name]);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(ports));
  let isStopped = false;
  // Ctrl-C asks twice: the person's signal, and the end of the server that follows it.
  const stop = () => {
    if (isStopped) return;
    isStopped = true;
    for (const server of Object.values(servers)) {
      server.closeAllConnections?.();
      server.close();
    }
  };
  return { ports, ca: tls?.ca, stop };
}
