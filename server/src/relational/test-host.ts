// One throw-away PostgreSQL for all test processes of this user on this checkout, entered by test-database.ts.
// Clients hold a connection to its socket; a few seconds after the last one is gone it stops and removes everything.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';
import { startEmbeddedPostgres } from './embedded.ts';

const IDLE_MS = 4000;
/** Tests need no durability, and many processes at once share this server. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300', autovacuum: 'off' };

const log: FastifyBaseLogger = pino({ level: 'silent' });
const dir = mkdtempSync(join(tmpdir(), 'svc-test-postgres-'));
const clients = new Set<Socket>();
let idle: NodeJS.Timeout | undefined;
let ending = false;

const server = createServer((socket) => void serveClient(socket));
// The listening socket is the lock: whoever loses the race to bind it makes no cluster.
const starting = new Promise<void>((resolve, reject) => {
  server.once('error', reject);
  // An argument cannot hold the NUL of an abstract socket: '@' stands for it.
  server.listen(process.argv[2]?.replace(/^@/, '\0'), resolve);
}).then(async () => await startEmbeddedPostgres({ cluster: join(dir, 'cluster'), logDir: dir, log, settings: SETTINGS }));

async function serveClient(socket: Socket): Promise<void> {
  if (ending) return void socket.destroy();
  clients.add(socket);
  clearTimeout(idle);
  socket.on('error', () => {});
  socket.on('close', () => {
    clients.delete(socket);
    if (clients.size === 0) idle = setTimeout(() => void end(), IDLE_MS);
  });
  const { superUrl, ownerUrl, appUrl } = await starting;
  socket.write(`${JSON.stringify({ superUrl, ownerUrl, appUrl })}\n`);
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  server.close();
  const postgres = await starting.catch(() => undefined);
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
  process.exit(0);
}

starting.catch((error: Error) => {
  if (Reflect.get(error, 'code') !== 'EADDRINUSE') process.stderr.write(`${error.message}\n`);
  for (const socket of clients) socket.destroy();
  void end();
});
idle = setTimeout(() => void end(), 60_000);
