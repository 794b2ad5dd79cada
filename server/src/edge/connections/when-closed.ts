import type { ServerResponse } from 'node:http';

const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Runs each once when the response is closed, in the order in which they came; never when it is closed already. All of them together are
 * one listener: with one each, and those of Fastify, tRPC and the compressor, an ordinary answer passes the ten beyond which Node warns of
 * a leak.
 */
export function whenClosed(response: ServerResponse, run: () => void): void {
  const runs = waiting.get(response);
  if (runs) {
    runs.push(run);
    return;
  }
  const first = [run];
  waiting.set(response, first);
  response.once('close', () => {
    for (const one of first) one();
  });
}
