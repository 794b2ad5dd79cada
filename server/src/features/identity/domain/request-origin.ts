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
