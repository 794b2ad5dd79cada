import { fastifyCookie } from '@fastify/cookie';
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
  const write = (reply: FastifyReply, name: string, cookie: { value: string; maxAgeSeconds?: number | undefined }) => {
    const options = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' as const };
    const maxAge = cookie.maxAgeSeconds === undefined ? {} : { maxAge: cookie.maxAgeSeconds };
    reply.header('set-cookie', fastifyCookie.serialize(full(name), cookie.value, { ...options, ...maxAge }));
  };
  return {
    sessionName: full('session'),
    read: (request, name) => {
      const header = request.headers.cookie;
      return header === undefined ? undefined : fastifyCookie.parse(header)[full(name)];
    },
    set: write,
    clear: (reply, name) => write(reply, name, { value: '', maxAgeSeconds: 0 }),
  };
}
