const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const MAX_HOST = 253;
/** What would make a URL of a host say something else. */
const FOREIGN = /[\s/?#@\\:%]/;

/**
 * A host as incidents know it: lower case, without the dot at its end, in the letters that DNS is asked for. Undefined for what is none, for
 * one with a port too.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.length > MAX_HOST * 4) return undefined;
  const bare = text.toLowerCase().replace(/\.$/, '');
  // Numbers alone are an address in some spelling, of which there are many.
  const isPlain = NAME.test(bare) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(bare);
  if (isPlain) return bare.length <= MAX_HOST ? bare : undefined;
  const isBracketed = /^\[[0-9a-f:.]+\]$/.test(bare);
  if (bare === '' || (FOREIGN.test(bare) && !isBracketed)) return undefined;
  const name = URL.parse(`http://${bare}`)?.hostname.replace(/^\[(.*)\]$/, '$1');
  if (name === undefined || name.length > MAX_HOST) return undefined;
  return isBracketed || NAME.test(name) ? name : undefined;
}

/** The host of an `Origin` header; undefined where it says none, as `null` does. */
export function hostOfOrigin(origin: string): string | undefined {
  const url = URL.parse(origin);
  return url && url.hostname !== '' ? canonicalHost(url.hostname) : undefined;
}

/** Whether an app whose hosts are `patterns` is served at this host; without any it may be served anywhere. */
export function isHostAllowed(patterns: readonly string[], host: string | undefined): boolean {
  if (patterns.length === 0) return true;
  if (host === undefined) return false;
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern,
  );
}

/** A host that a person wrote down for an app, `*.` before it or not; undefined for what is none. */
export function canonicalPattern(text: string): string | undefined {
  const bare = text.trim();
  const isWild = bare.startsWith('*.');
  const host = canonicalHost(isWild ? bare.slice(2) : bare);
  return host === undefined ? undefined : `${isWild ? '*.' : ''}${host}`;
}

/** The host of a URL, `host:port` or a bare host, as targets of tests and devices are written. */
export function hostOfTarget(target: string): string | undefined {
  const text = target.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : undefined;
  if (url) return canonicalHost(url.hostname);
  return canonicalHost(text) ?? canonicalHost(text.replace(/:\d{1,5}$/, ''));
}
