import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BreakableSite {
  url: string;
  break(): void;
  repair(): void;
  stop(): Promise<void>;
}

/** A site on loopback that answers until it is broken on purpose: then every answer is a 503, as from a shop whose database is gone. */
export async function startBreakableSite(): Promise<BreakableSite> {
  let isBroken = false;
  const server = createServer((_, answer) => {
    answer.writeHead(isBroken ? 503 : 200, { 'content-type': 'text/plain' });
    answer.end(isBroken ? 'The shop is closed.\n' : 'The shop is open.\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`,
    break() {
      isBroken = true;
    },
    repair() {
      isBroken = false;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
