import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { type SentDocument, sentRequest } from '../identity/sent-document.ts';
import { createAuthority, createServerLeaf, pinOfAuthority } from '../testing/certificates.ts';
import { fetchSmall } from './release-server.ts';

it('tells of a look for updates what went over the wire, byte for byte, and nothing where nothing did', async () => {
  const authority = await createAuthority('server CA');
  const seen: Buffer[] = [];
  const server = createServer({ ...(await createServerLeaf(authority)), ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      seen.push(part);
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told: SentDocument[] = [];
  const onRequest = (path: string): void => void told.push(sentRequest({ server: url, path, atMs: 5 }));
  const path = '/agent/releases/main/latest-linux.json';
  try {
    expect(await fetchSmall({ url, pin: pinOfAuthority(authority), onRequest }, path, 1000)).toBeUndefined();
    const wire = Buffer.concat(seen);
    expect(told).toEqual([
      {
        kind: 'update',
        server: url,
        document: { method: 'GET', path, host: new URL(url).host },
        bytes: wire.length,
        sha256: createHash('sha256').update(wire).digest('hex'),
        atMs: 5,
      },
    ]);
    // A server that does not prove itself hears nothing of it.
    const other = pinOfAuthority(await createAuthority('another CA'));
    await expect(fetchSmall({ url, pin: other, onRequest }, path, 1000)).rejects.toThrow();
    expect(told).toHaveLength(1);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
