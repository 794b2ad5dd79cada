import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface VisitedSite {
  /** The page that visitors open, with query and fragment that must never be sent. */
  page: string;
  /** What tests ask. */
  health: string;
  host: string;
  /** From now on the health address answers 503. */
  breakHealth(): void;
  repairHealth(): void;
  stop(): Promise<void>;
}

const pageOf = (
  snippet: string,
): string => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Private title</title>
${snippet}
</head><body><h1>Shop</h1>
<button id="agree" onclick="svcRUM.consent()">Agree</button>
<button id="withdraw" onclick="svcRUM.withdraw()">Withdraw</button>
<button id="break" onclick="throw new Error('private words')">Break</button></body></html>`;

/** A site on loopback whose page holds the snippet of an app, at a host of the reader's choice so that specs do not share one. */
export async function startVisitedSite({ host, snippet }: { host: string; snippet: string }): Promise<VisitedSite> {
  let isBroken = false;
  const server = createServer(({ url }, answer) => {
    const isHealth = url?.startsWith('/health');
    answer.writeHead(isHealth && isBroken ? 503 : 200, { 'content-type': isHealth ? 'text/plain' : 'text/html; charset=utf-8' });
    answer.end(isHealth ? 'health\n' : pageOf(snippet));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    page: `http://${host}:${port}/order/4711?mail=ana@example.test#basket`,
    health: `http://${host}:${port}/health`,
    host,
    breakHealth() {
      isBroken = true;
    },
    repairHealth() {
      isBroken = false;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
