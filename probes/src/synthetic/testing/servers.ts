import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { TestSpec as Spec, type TestSpec, type TestSpecInput } from '@svc/contracts/tests/test';
import type { RunTools } from '../run.ts';
import { createTargetGuard } from '../safety/target-guard.ts';

/** Servers on loopback that one test file uses; `close` ends them with all their connections. */
export function createServers() {
  const open: net.Server[] = [];
  const sockets = new Set<net.Socket>();
  const listen = async (server: net.Server, host = '127.0.0.1'): Promise<number> => {
    open.push(server);
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return (server.address() as net.AddressInfo).port;
  };
  return {
    listen,
    http: async (listener: http.RequestListener): Promise<string> =>
      `http://127.0.0.1:${await listen(http.createServer(listener))}`,
    https: async (options: https.ServerOptions, listener: http.RequestListener): Promise<string> =>
      `https://127.0.0.1:${await listen(https.createServer(options, listener))}`,
    /** Speaks whatever the function writes. */
    raw: (onSocket: (socket: net.Socket) => void, options: net.ServerOpts = {}): Promise<number> =>
      listen(net.createServer(options, onSocket)),
    openConnections: (): number => sockets.size,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

export const spec = (input: Omit<TestSpecInput, 'name'>): TestSpec => Spec.parse({ name: 'a test', ...input });

const noSecrets = (name: string): string => {
  throw new Error(`There is no secret ${name}.`);
};

/** Loopback is allowed, since that is where the servers are. */
export const toolsWith = (tools: Partial<RunTools> = {}): RunTools => ({
  guard: createTargetGuard({ allow: ['127.0.0.0/8', '::1'] }),
  resolveSecret: noSecrets,
  // A test that expects a fault must not take a defect for it.
  onInternalError: (error) => console.error(error),
  ...tools,
});
