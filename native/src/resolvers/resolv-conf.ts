import net from 'node:net';

const MAX_SERVERS = 8;

/** The `nameserver` lines of a resolv.conf; lines that hold no address are passed over, doubles left out. At most 8. */
export function parseResolvConf(contents: string): string[] {
  const found = new Set<string>();
  for (const line of contents.split('\n')) {
    const server = /^\s*nameserver\s+(\S+)/.exec(line)?.[1];
    if (server && net.isIP(server) !== 0) found.add(server);
    if (found.size === MAX_SERVERS) break;
  }
  return [...found];
}

/** A forwarder on this very machine: measuring it would measure its cache. */
export const isLocalStub = (server: string): boolean => server.startsWith('127.') || server === '::1';
