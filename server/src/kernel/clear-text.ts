/** Whether what is sent to this host never leaves the machine; an empty name is a driver's own default, which is this machine. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|)$/.test(host);

/** Whether a PostgreSQL URL stays on this machine (loopback or a unix socket) or asks for TLS. Of a repeated parameter the driver takes the last. */
export function isPostgresProtected(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.getAll('host').at(-1) ?? hostname;
  const mode = searchParams.getAll('sslmode').at(-1) ?? '';
  return isLoopback(host) || host.startsWith('/') || /^(require|verify-ca|verify-full)$/.test(mode);
}

/** Whether an http URL holds a user or a password and would send it over a network without TLS. */
export function sendsLoginInClear(url: string): boolean {
  const { protocol, hostname, username, password, searchParams } = new URL(url);
  const holdsLogin = username !== '' || password !== '' || searchParams.has('password') || searchParams.has('user');
  return protocol === 'http:' && holdsLogin && !isLoopback(hostname);
}
