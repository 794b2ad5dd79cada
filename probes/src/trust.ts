import tls from 'node:tls';

/** Trusts these PEM certificates and no others; without any, Node's own roots. Parsing a hundred of them takes milliseconds. */
export const trustOf = (roots?: readonly string[]): tls.SecureContext =>
  tls.createSecureContext(roots === undefined ? {} : { ca: [...roots] });

/**
 * Node's roots and those that only the system has, as PEM, each once. Node keeps what it read of the system's store, several
 * megabytes, until the process ends.
 */
export function readRoots(): string[] {
  const all = [...tls.getCACertificates('default'), ...tls.getCACertificates('system')];
  // Both sources break their lines differently.
  return [...new Map(all.map((pem) => [pem.replaceAll(/\s/g, ''), pem])).values()];
}
