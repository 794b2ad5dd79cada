import { createHash, generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ReleaseFeed, releaseFeedText, releaseFilePath } from '@svc/contracts/releases/release-feed';
import { signRelease } from '@svc/contracts/releases/release-signature';
import type { Server } from '../identity/open-trusted.ts';
import { createAuthority, createServerLeaf, pinOfAuthority } from './certificates.ts';

/** A release feed over HTTPS on loopback, with a pinned authority and a signing key of its own; `files` is what it serves. */
export interface ReleaseServer {
  server: Server;
  /** The pinned key, as a package holds it. */
  key: string;
  pem: string;
  /** By path. A function answers for itself. */
  files: Map<string, Buffer | ((request: IncomingMessage, response: ServerResponse) => void)>;
  /** Paths asked for, in order. */
  asked: string[];
  /** Signs and serves a feed with one file; what is given differs from a good one. */
  publish(part?: Partial<ReleaseFeed>, artefact?: Buffer): ReleaseFeed;
  /** Signs and serves exactly this feed. */
  sign(feed: ReleaseFeed): void;
  close(): Promise<void>;
}

export function newReleaseKey(): { pem: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

export const feedPath = (ring: string, feed = 'latest-linux.yml'): string => `/agent/releases/${ring}/${feed}`;

function feedOf(part: Partial<ReleaseFeed>, artefact: Buffer): ReleaseFeed {
  const version = part.version ?? '2.0.0';
  const sha512 = createHash('sha512').update(artefact).digest('base64');
  return {
    version,
    feed: 'latest-linux.yml',
    ring: 'main',
    serial: Date.now(),
    rollback: false,
    minProtocol: 1,
    releaseDate: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 90 * 86_400_000).toISOString(),
    files: [{ url: releaseFilePath(version, `agent-${version}.AppImage`), sha512, size: artefact.length }],
    ...part,
  };
}

export async function startReleaseServer(): Promise<ReleaseServer> {
  const authority = await createAuthority('releases');
  const leaf = await createServerLeaf(authority);
  const files: ReleaseServer['files'] = new Map();
  const asked: string[] = [];
  const http = createServer(leaf, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(path);
    const file = files.get(path);
    if (typeof file === 'function') file(request, response);
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-length': file.length }).end(file);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const signing = newReleaseKey();
  const serveFeed = (feed: ReleaseFeed): void => {
    const bytes = Buffer.from(releaseFeedText(feed));
    const path = feedPath(feed.ring, feed.feed);
    files.set(path, bytes);
    files.set(`${path}.sig`, Buffer.from(signRelease(bytes, signing.pem)));
  };
  return {
    server: { url: `https://localhost:${(http.address() as AddressInfo).port}`, pin: pinOfAuthority(authority) },
    ...signing,
    files,
    asked,
    sign: serveFeed,
    publish(part = {}, artefact = Buffer.from(`the program ${part.version ?? '2.0.0'}`)) {
      const feed = feedOf(part, artefact);
      serveFeed(feed);
      for (const { url } of feed.files) files.set(`/agent/releases/${feed.ring}/${url}`, artefact);
      return feed;
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
