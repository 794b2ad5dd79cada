import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { createGrpcEdge, createHttpEdge } from '#edge';
import { AppError } from '#kernel';
import { type DataDir, openDataDir } from './data-dir.ts';
import { ensureLocalTls, openServerTls, type ServerTls } from './local-tls.ts';
import { createTlsRenewal } from './tls-renewal.ts';

const DAY_MS = 86_400_000;
const HOSTS = ['localhost', '127.0.0.1'];
let parent: string;
let dataDir: DataDir;
let offsetMs: number;
let logged: string[];
const open: { close(): Promise<void> }[] = [];
const sockets: TLSSocket[] = [];
const clock = { now: () => Date.now() + offsetMs };
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-renewal-'));
  dataDir = openDataDir(join(parent, 'data'));
  offsetMs = 0;
  logged = [];
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const one of open.splice(0)) await one.close();
  dataDir.release();
  rmSync(parent, { recursive: true, force: true });
});

/** Both real listeners with a renewal as compose ties it. */
async function listen(tls: ServerTls, reopen: () => Promise<ServerTls>) {
  const silent = pino({ level: 'silent' });
  const agents = await createRootCa({ commonName: 'agents' });
  const http = await createHttpEdge({ tls, log: silent, trustedProxies: [], ratePerMinute: 0, readiness: { phase: 'serving' } });
  http.app.get('/ok', async () => 'ok');
  const grpc = createGrpcEdge({
    tls: { ...tls, clientRoots: agents.certPem },
    mounts: [],
    verifyAgent: async () => {
      throw new AppError('unauthorized', 'nobody');
    },
    log: silent,
  });
  open.push(http, grpc);
  const [port, grpcPort] = [await http.listen({ host: '127.0.0.1', port: 0 }), await grpc.listen({ host: '127.0.0.1', port: 0 })];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const present = (next: ServerTls) => {
    http.setTls(next);
    grpc.setTls(next);
  };
  return { port, grpcPort, renewal: createTlsRenewal({ tls, reopen, present, clock, log }) };
}

/** Unchecked without `ca`. */
const dial = (port: number, ca: string | undefined): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', ca, rejectUnauthorized: ca !== undefined, ALPNProtocols: ['h2', 'http/1.1'] };
    const socket = connect(options, () => resolve(socket));
    sockets.push(socket);
    socket.on('error', reject);
  });
const pemOf = (socket: TLSSocket): string => socket.getPeerX509Certificate()?.toString().trim() ?? '';
const leafOf = ({ cert }: ServerTls): string => `${cert.split('-----END CERTIFICATE-----')[0]}-----END CERTIFICATE-----`;

/** Asks on a connection that is open already. */
const askOn = (socket: TLSSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString('utf8')));
    socket.write('GET /ok HTTP/1.1\r\nhost: localhost\r\n\r\n');
  });

test('both listeners present the new leaf of the local authority, and what is open stays open', async () => {
  const first = await ensureLocalTls(dataDir, { hosts: HOSTS });
  const { port, grpcPort, renewal } = await listen(first, () => ensureLocalTls(dataDir, { hosts: HOSTS, clock }));
  const old = await dial(port, first.ca);
  await renewal.look();
  expect([pemOf(await dial(port, first.ca)), pemOf(await dial(grpcPort, first.ca))]).toEqual([leafOf(first), leafOf(first)]);

  // The last month of its life.
  offsetMs = first.notAfterMs - Date.now() - 20 * DAY_MS;
  expect(await renewal.health()).toEqual({ status: 'ok' });
  await renewal.look();
  const second = await ensureLocalTls(dataDir, { hosts: HOSTS, clock });
  expect(second.cert).not.toBe(first.cert);
  // Its life begins in a future that only this test's clock knows, so a client could not check it.
  const shown = await Promise.all([port, grpcPort].map(async (at) => pemOf(await dial(at, undefined))));
  expect(shown).toEqual([leafOf(second), leafOf(second)]);
  expect(await askOn(old)).toContain('200 OK');
  expect(logged).toEqual(['the listeners present a new certificate']);
});

test('renewed files are taken, half-written ones are not, and an end that comes near is told', async () => {
  const ca = await createRootCa({ commonName: 'corporate' });
  const [certFile, keyFile] = [join(parent, 'tls.crt'), join(parent, 'tls.key')];
  const write = async (days: number) => {
    const { certPem, keyPem } = await createServerLeaf(ca, { hosts: HOSTS, days });
    writeFileSync(certFile, certPem);
    return { certPem: certPem.trim(), finish: () => writeFileSync(keyFile, keyPem) };
  };
  const short = await write(10);
  short.finish();
  const reopen = () => openServerTls({ certFile, keyFile, hosts: [] }, dataDir);
  const { port, grpcPort, renewal } = await listen(await reopen(), reopen);
  await renewal.look();
  await renewal.look();
  expect(logged).toEqual(["the listeners' certificate ends soon: renew it"]);
  expect(await renewal.health()).toMatchObject({ status: 'degraded', detail: expect.stringContaining('certificate ends at') });

  const long = await write(90);
  await renewal.look();
  await renewal.look();
  expect(pemOf(await dial(port, ca.certPem))).toBe(short.certPem);
  expect(logged.slice(1)).toEqual(['no new certificate could be read; the listeners keep theirs']);
  long.finish();
  await renewal.look();
  expect([pemOf(await dial(port, ca.certPem)), pemOf(await dial(grpcPort, ca.certPem))]).toEqual([long.certPem, long.certPem]);
  expect(await renewal.health()).toEqual({ status: 'ok' });
});

test('an authority that was made anew is not presented: devices hold to the one of the start', async () => {
  const first = await ensureLocalTls(dataDir, { hosts: HOSTS });
  const { port, renewal } = await listen(first, () => ensureLocalTls(dataDir, { hosts: HOSTS, clock }));
  rmSync(dataDir.join('tls', 'ca.crt'));
  await renewal.look();
  expect(pemOf(await dial(port, first.ca))).toBe(leafOf(first));
  expect(logged).toEqual(['no new certificate could be read; the listeners keep theirs']);
});
