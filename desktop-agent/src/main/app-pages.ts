import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { PageAnswer } from './electron-port.ts';

export const SCHEME = 'app';
export const PAGE_HOST = 'face';
export const PAGE_URL = `${SCHEME}://${PAGE_HOST}/index.html`;

/** Nothing but our own files, and no connection of any kind. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

const notFound: PageAnswer = {
  status: 404,
  headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.alloc(0),
};

/** The file that an address names; undefined where it is none of ours. */
function fileOf(url: string): string | undefined {
  try {
    const { protocol, host, pathname } = new URL(url);
    return protocol === `${SCHEME}:` && host === PAGE_HOST ? pathname.slice(1) : undefined;
  } catch {
    return undefined;
  }
}

/** Answers `app://face/<file>` for the files that lie in the folder now, by whole name: no path can lead out of it. */
export function createPages(folder: string): (url: string) => Promise<PageAnswer> {
  const names = new Set(readdirSync(folder));
  return async (url) => {
    const name = fileOf(url);
    const type = name === undefined ? undefined : TYPES[extname(name)];
    if (name === undefined || type === undefined || !names.has(name)) return notFound;
    return { status: 200, headers: { ...HEADERS, 'content-type': type }, body: await readFile(join(folder, name)) };
  };
}
