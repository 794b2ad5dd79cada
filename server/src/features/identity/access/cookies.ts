import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256Hex } from '#crypto';

/** Cookies of this instance; `name` gets the prefix and a suffix of its address, so that two instances on one host keep theirs apart. */
export interface Cookies {
  readonly sessionName: string;
  /** Of the built-in issuer, which sets its own below /auth. */
  readonly issuerNames: { session: string; interaction: string; resume: string };
  read(request: FastifyRequest, name: string): string | undefined;
  /** Of all our cookies that the browser sent, in its order. */
  names(request: FastifyRequest): string[];
  /** HttpOnly, Secure, SameSite=Lax, for the whole host and only for it; for this browser session without `maxAgeSeconds`. */
  set(reply: FastifyReply, name: string, cookie: { value: string; maxAgeSeconds?: number }): void;
  clear(reply: FastifyReply, name: string): void;
  /** Forgets what the built-in issuer remembers of the person who signed in last. */
  clearIssuer(reply: FastifyReply): void;
}

export function createCookies(publicUrl: string): Cookies {
  const suffix = sha256Hex(publicUrl).slice(0, 6);
  const full = (name: string) => `__Host-svc_${name}_${suffix}`;
  const issuerName = (name: string) => `__Secure-svc_issuer_${name}_${suffix}`;
  const issuerNames = { session: issuerName('session'), interaction: issuerName('interaction'), resume: issuerName('resume') };
  // Values are base64url, so nothing needs quoting.
  const write = (reply: FastifyReply, name: string, { value, maxAgeSeconds }: { value: string; maxAgeSeconds?: number }) => {
    const maxAge = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
    reply.header('set-cookie', `${full(name)}=${value}; Path=/${maxAge}; HttpOnly; Secure; SameSite=Lax`);
  };
  return {
    sessionName: full('session'),
    issuerNames,
    read: (request, name) => readCookie(request.headers.cookie ?? '', full(name)),
    names: (request) => {
      const [start = '', end = ''] = full(' ').split(' ');
      const sent = (request.headers.cookie ?? '').split(/; */).map((pair) => pair.slice(0, Math.max(0, pair.indexOf('='))));
      return sent
        .filter((name) => name.startsWith(start) && name.endsWith(end))
        .map((name) => name.slice(start.length, -end.length));
    },
    set: write,
    clear: (reply, name) => write(reply, name, { value: '', maxAgeSeconds: 0 }),
    clearIssuer: (reply) => {
      for (const name of [issuerNames.session, `${issuerNames.session}.sig`]) {
        reply.header('set-cookie', `${name}=; Path=/auth; Max-Age=0; HttpOnly; Secure; SameSite=Lax`);
      }
    },
  };
}

function readCookie(header: string, name: string): string | undefined {
  const start = `${name}=`;
  const pair = header.split(/; */).find((one) => one.startsWith(start));
  return pair?.slice(start.length);
}
