// A receiver in a process of its own: bare, which only reads the body, or ours, which walks and stamps and drops what it would publish.
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import { pino } from 'pino';
import { sha256 } from '../../server/src/crypto/index.ts';
import { startReceiver } from '../../server/src/features/otlp/ingress.ts';
import { parseTenantId } from '../../server/src/kernel/index.ts';

export interface ReceiverOrder {
  kind: 'bare' | 'ours';
  tls: { key: string; cert: string };
  token: string;
}

export interface ReceiverPorts {
  type: 'listening';
  grpc: number;
  http: number;
}

const WINDOW_BYTES = 8 * 1024 * 1024;

const portOf = (server: { address(): unknown }): number => (server.address() as { port: number }).port;
const listen = (server: { listen(port: number, host: string, done: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

/** What TLS, HTTP and reading the body cost by themselves: the most that any receiver on this runtime can do. */
async function startBare({ tls, token }: ReceiverOrder): Promise<ReceiverPorts> {
  const wanted = `Bearer ${token}`;
  const grpc = createSecureServer({ ...tls, settings: { initialWindowSize: WINDOW_BYTES } });
  grpc.on('session', (session) => session.setLocalWindowSize(4 * WINDOW_BYTES));
  grpc.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    stream.on('data', () => {});
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': headers.authorization === wanted ? '0' : '16' }));
      stream.end(Buffer.alloc(5));
    });
  });
  const http = createServer(tls, (incoming, answer) => {
    incoming.on('data', () => {});
    incoming.on('end', () => {
      answer.writeHead(incoming.headers.authorization === wanted ? 200 : 401, { 'content-length': 0 });
      answer.end();
    });
  });
  await Promise.all([listen(grpc), listen(http)]);
  return { type: 'listening', grpc: portOf(grpc), http: portOf(http) };
}

async function startOurs({ tls, token }: ReceiverOrder): Promise<ReceiverPorts> {
  const free = { host: '127.0.0.1', port: 0 };
  const entry = { id: 'bench', tenant: parseTenantId('bench'), expiresAtMs: null, revoked: false };
  const receiver = await startReceiver({
    bus: { publish: async () => {} },
    grpc: free,
    http: free,
    tls,
    clientCa: undefined,
    maxBytes: 4 * 1024 * 1024,
    // The Collector's nop writes none either.
    makesCrc: false,
    tokens: { hashes: sha256(token), entries: [entry] },
    onReport: () => {},
    log: pino({ level: 'warn' }),
  });
  const { grpc = 0, http = 0 } = receiver.ports();
  return { type: 'listening', grpc, http };
}

process.once('message', async (order: ReceiverOrder) => {
  process.send?.(await (order.kind === 'bare' ? startBare(order) : startOurs(order)));
});
process.once('disconnect', () => process.exit());
