import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { whenClosed } from './when-closed.ts';

/** Requests of one connection that may wait for their answers. Only a client that pipelines has more than one, and no browser does. */
export const MOST_UNANSWERED = 8;
/** Beyond it the connection is not even told. */
const MOST_PARSED = 32;

/**
 * Keeps requests beyond the bound from the listeners that are there now: Node starts all that one read has brought. The first too many is
 * answered by `refuse`, after those before it, with an answer that closes the connection.
 */
export function boundUnanswered(server: Server, refuse: (response: ServerResponse) => void): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  const admit = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    if (socket.destroyed) return false;
    const responses = waiting.get(socket) ?? new Set();
    waiting.set(socket, responses);
    responses.add(response);
    whenClosed(response, () => responses.delete(response));
    if (responses.size === MOST_UNANSWERED + 1) refuse(response);
    else if (responses.size > MOST_PARSED) socket.destroy();
    return responses.size <= MOST_UNANSWERED;
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    const listeners = server.listeners(event);
    // Node does something else where nobody listens.
    if (listeners.length === 0) continue;
    server.removeAllListeners(event);
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (!admit(request, response)) return;
      for (const listener of listeners) listener.call(server, request, response);
    });
  }
}
