import http from 'node:http';
import net from 'node:net';
import type { ProxySettings } from './server-settings.ts';

const PORT = 3128;

/** An HTTP proxy for CONNECT whose every tunnel leads to `host`. */
export function startConnectProxy(host: string): { set(settings: ProxySettings): void } {
  let settings: ProxySettings = {};
  const server = http.createServer((_request, response) => response.writeHead(settings.status ?? 400).end());
  server.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    const { status = 200, delayMs = 0 } = settings;
    client.on('error', () => undefined);
    setTimeout(() => {
      if (status === 200) openTunnel(client, { host, port: Number(/:(\d+)$/.exec(request.url ?? '')?.[1] ?? 443) });
      else client.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\ncontent-length: 0\r\n\r\n`);
    }, delayMs);
  });
  server.listen(PORT, '::');
  return {
    set(changed) {
      settings = { ...settings, ...changed };
      if (changed.listening === false) server.close();
    },
  };
}

function openTunnel(client: net.Socket, target: { host: string; port: number }): void {
  const upstream = net.connect(target, () => {
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  client.on('error', () => upstream.destroy());
}
