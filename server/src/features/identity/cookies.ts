import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256Hex } from '#crypto';

/** Cookies of this instance; `name` gets the prefix and a suffix of its address, so that two instances on one host keep theirs apart. */
export interface Cookies {
  readonly sessionName: string;
  read(request: FastifyRequest, name: string): string | undefined;
  /** HttpOnly, Secure, SameSite=Lax, for the whole host and only for it; for this browser session without `maxAgeSeconds`. */
  set(reply: FastifyReply, name: string, cookie: { value: string; maxAgeSeconds?: number }): void;
  clear(reply: FastifyReply, name: string): void;
}

export function createCookies(publicUrl: string): Cookies {
  const suffix = sha256Hex(publicUrl).slice(0, 6);
  const full = (name: string) => `__Host-svc_${name}_${suffix}`;
  // Values are base64url, so nothing needs quoting.
  const write = (reply: FastifyReply, name: string, { value, maxAgeSeconds }: { value: string; maxAgeSeconds?: number }) => {
    const maxAge = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
    reply.header('set-cookie', `${full(name)}=${value}; Path=/${maxAge}; HttpOnly; Secure; SameSite=Lax`);
  };
  return {
    sessionName: full('session'),
    read: (request, name) => readCookie(request.headers.cookie ?? '', full(name)),
    set: write,
    clear: (reply, name) => write(reply, name, { value: '', maxAgeSeconds: 0 }),
  };
}

function readCookie(header: string, name: string): string | undefined {
  const start = `${name}=`;
  const pair = header.split(/; */).find((one) => one.startsWith(start));
  return pair?.slice(start.length);
}
