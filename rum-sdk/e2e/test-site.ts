import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Beacon {
  readonly text: string;
  readonly body: BeaconBody;
  readonly headers: IncomingHttpHeaders;
}

export interface BeaconBody {
  readonly v: number;
  readonly key: string;
  readonly consent: boolean;
  readonly host: string;
  readonly page: string;
  readonly browser: string;
  readonly vitals: Partial<Record<'ttfb_ms' | 'fcp_ms' | 'lcp_ms' | 'inp_ms' | 'load_ms' | 'cls', number>>;
  readonly errors: number;
  readonly failed_requests: number;
  readonly sdk: string;
}

export interface TestPage {
  /** Text of the document; ORIGIN and OTHER stand for the site's two origins. */
  readonly html: string;
  readonly headers?: Record<string, string>;
  /** Until the first byte. */
  readonly delayMs?: number;
}

/** A site on loopback with what pages need, and a receiver of beacons on both of its origins. */
export interface TestSite {
  /** http://127.0.0.1:port */
  readonly origin: string;
  /** The same site as http://localhost:port: another origin. */
  readonly other: string;
  readonly beacons: Beacon[];
  /** What pages reported of web-vitals, by POST /web-vitals. */
  readonly reports: Record<string, number>[];
  /** Paths of all requests. */
  readonly requests: string[];
  readonly preflights: () => number;
  readonly serve: (path: string, page: TestPage) => void;
  readonly forget: () => void;
  /** Waits until there are so many beacons, for 5 s at most. */
  readonly waitForBeacons: (count: number) => Promise<BeaconBody[]>;
  /** Answer of the receiver; 202 unless told otherwise. */
  answer: { status: number; delayMs: number };
  readonly close: () => Promise<void>;
}

/** A picture of noise, of 3 bytes a pixel: one that is nearly empty is no candidate for the largest paint. */
function drawNoise(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(54 + width * height * 3);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let at = 54; at < bytes.length; at++) bytes[at] = (at * 7919) % 251;
  return bytes;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const CROSS_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

interface Store {
  /** Texts of /<name>.js, such as the SDK and web-vitals. */
  readonly scripts: Record<string, string>;
  readonly pages: Map<string, TestPage>;
  readonly picture: Buffer;
  preflights: number;
}

async function receiveBeacon(site: TestSite, store: Store, { request, response }: Exchange): Promise<void> {
  if (request.method === 'OPTIONS') {
    store.preflights++;
    response.writeHead(204, { ...CROSS_ORIGIN, 'access-control-allow-headers': '*' }).end();
    return;
  }
  const text = await readText(request);
  if (site.answer.delayMs > 0) await sleep(site.answer.delayMs);
  site.beacons.push({ text, body: JSON.parse(text), headers: request.headers });
  response.writeHead(site.answer.status, CROSS_ORIGIN).end('{"accepted":true}');
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answerFile(path: string, { scripts, picture }: Store, response: ServerResponse): Promise<boolean> {
  const [, kind, number] = /^\/(status|picture)\/(\d+)$/.exec(path) ?? [];
  if (kind === 'status') {
    response.writeHead(Number(number), CROSS_ORIGIN).end();
    return true;
  }
  if (kind === 'picture') {
    await sleep(Number(number));
    response.writeHead(200, { 'content-type': 'image/bmp', ...CROSS_ORIGIN }).end(picture);
    return true;
  }
  const script = scripts[/^\/([\w.-]+)\.m?js$/.exec(path)?.[1] ?? ''];
  if (script) response.writeHead(200, { 'content-type': 'text/javascript', ...CROSS_ORIGIN }).end(script);
  return script !== undefined;
}

async function answerPage(site: TestSite, page: TestPage | undefined, response: ServerResponse): Promise<void> {
  if (!page) {
    response.writeHead(404).end();
    return;
  }
  await sleep(page.delayMs ?? 0);
  const fill = (text: string): string => text.replaceAll('ORIGIN', site.origin).replaceAll('OTHER', site.other);
  const headers = Object.fromEntries(Object.entries(page.headers ?? {}).map(([name, text]) => [name, fill(text)]));
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'session=secret; Path=/', ...headers });
  response.end(fill(page.html));
}

async function answer(site: TestSite, store: Store, { request, response }: Exchange): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://site');
  site.requests.push(`${request.method} ${pathname}`);
  if (pathname === '/ingest/rum') return receiveBeacon(site, store, { request, response });
  if (pathname === '/web-vitals') {
    site.reports.push(JSON.parse(await readText(request)));
    response.writeHead(204).end();
    return;
  }
  if (await answerFile(pathname, store, response)) return;
  await answerPage(site, store.pages.get(pathname), response);
}

/** @param scripts texts of /<name>.js, such as the SDK and web-vitals */
export async function openTestSite(scripts: Record<string, string>): Promise<TestSite> {
  const store: Store = { scripts, pages: new Map(), picture: drawNoise(600, 400), preflights: 0 };
  const server = createServer((request, response) => {
    answer(site, store, { request, response }).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const site: TestSite = {
    origin: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    beacons: [],
    reports: [],
    requests: [],
    answer: { status: 202, delayMs: 0 },
    preflights: () => store.preflights,
    serve: (path, page) => void store.pages.set(path, page),
    forget: () => {
      for (const list of [site.beacons, site.reports, site.requests]) list.length = 0;
    },
    waitForBeacons: async (count) => {
      for (let waitedMs = 0; waitedMs < 5000 && site.beacons.length < count; waitedMs += 25) await sleep(25);
      return site.beacons.map(({ body }) => body);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return site;
}

/** A document whose head has the SDK; the endpoint is of the other origin unless told. */
export function writeDocument({ head = '', body = '', attributes = '', endpoint = 'OTHER/ingest/rum' }): string {
  const script = `<script src="OTHER/rum.js" data-key="app-key" data-endpoint="${endpoint}" ${attributes}></script>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>private title</title>${head}${script}</head><body><h1>Shop</h1>${body}</body></html>`;
}
