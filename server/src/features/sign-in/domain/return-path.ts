const MAX_RETURN_LENGTH = 2000;

/**
 * A path of this console to land on after sign-in, as the browser will read it; anything that could lead elsewhere becomes `/`. What is
 * given back starts with exactly one slash and, read again at the public address, is the same address there.
 */
export function safeReturnPath(text: string | undefined, publicUrl: string): string {
  if (text === undefined || text.length > MAX_RETURN_LENGTH || !text.startsWith('/')) return '/';
  // Browsers read a backslash as a slash and skip control characters: `/\evil.test` would leave this host.
  if (/[\p{Cc}\\]/u.test(text)) return '/';
  const { origin } = new URL(publicUrl);
  const url = URL.parse(text, origin);
  if (url?.origin !== origin) return '/';
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Removing dot segments may leave two slashes at the start, which name a host: `/.//evil.test`, `/%2e//evil.test`, `/x/..//evil.test`.
  if (path.startsWith('//') || URL.parse(path, origin)?.href !== url.href) return '/';
  return isSignInPath(url.pathname) ? '/' : path;
}

/** The pages of the sign-in itself are no place to land on; a router reads them through percent-encoding. */
function isSignInPath(pathname: string): boolean {
  try {
    return `${decodeURIComponent(pathname)}/`.startsWith('/auth/');
  } catch {
    return true;
  }
}
