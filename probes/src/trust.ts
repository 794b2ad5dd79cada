import tls from 'node:tls';

const contexts = new Map<string, tls.SecureContext>();
const MAX_CONTEXTS = 4;

/** Node's roots, the system's and the given ones, as one context that is kept: parsing some 300 certificates costs milliseconds. */
export function trustStore(extra: readonly string[]): tls.SecureContext {
  const key = extra.join('\n');
  const kept = contexts.get(key);
  if (kept) return kept;
  const roots = new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system'), ...extra]);
  const context = tls.createSecureContext({ ca: [...roots] });
  if (contexts.size >= MAX_CONTEXTS) contexts.clear();
  contexts.set(key, context);
  return context;
}
