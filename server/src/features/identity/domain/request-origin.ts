/** What a browser says of where a request comes from. */
export interface OriginSigns {
  method: string;
  /** Host header, for example `localhost:8443`. */
  host: string;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * True when a request that carries a cookie may change state: sent by a page of ours. The browser's own word counts first; an older
 * browser's Origin must name this host; a request without either is refused.
 */
export function mayChangeState(signs: OriginSigns): boolean {
  if (SAFE_METHODS.has(signs.method)) return true;
  if (signs.secFetchSite !== undefined) return signs.secFetchSite === 'same-origin';
  return signs.origin !== undefined && signs.origin === `https://${signs.host}`;
}

/** A path of this console to land on after sign-in; anything that could lead elsewhere becomes `/`. */
export function safeReturnPath(text: string | undefined): string {
  if (text === undefined || text.length > 2000 || !text.startsWith('/')) return '/';
  // Browsers read a backslash as a slash and skip control characters: `/\evil.test` would leave this host.
  if (/^\/[/\\]/.test(text) || /[\p{Cc}\\]/u.test(text)) return '/';
  const url = new URL(text, 'https://console.invalid');
  return url.host === 'console.invalid' && !url.pathname.startsWith('/auth/') ? `${url.pathname}${url.search}${url.hash}` : '/';
}
