import { createHash, type X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { AgentError } from '../agent-error.ts';

/** base64url SHA-256 of a certificate's SubjectPublicKeyInfo: what a printed enrol token carries. */
export const pinOf = (certificate: X509Certificate): string =>
  createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

/** The chain as the server presented it, leaf first; at most eight. */
export function presentedChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next && chain.length < 8) {
    const current = next;
    if (chain.some((seen) => seen.raw.equals(current.raw))) break;
    chain.push(current);
    next = current.issuerCertificate;
  }
  return chain;
}

const links = (child: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && child.checkIssued(issuer) && child.verify(issuer.publicKey);

/**
 * Throws `untrusted` unless the presented chain leads, signature by signature, to the CA whose key the token named. Names are not
 * looked at: that CA signs only this server's certificates, and a device may reach it by a name that they do not hold.
 */
export function checkPin(chain: readonly X509Certificate[], pin: string, nowMs: number): void {
  const at = chain.findIndex((certificate) => pinOf(certificate) === pin);
  if (at < 0)
    throw new AgentError(
      'untrusted',
      'The server’s certificate is not the one that the enrol token names. Is the address right?',
    );
  const trusted = chain.slice(0, at + 1);
  const whole = trusted.every((certificate, i) => i === at || links(certificate, trusted[i + 1] as X509Certificate));
  if (!whole)
    throw new AgentError('untrusted', 'The server’s certificate is not signed by the authority that the enrol token names.');
  const leaf = trusted[0] as X509Certificate;
  if (Date.parse(leaf.validTo) < nowMs)
    throw new AgentError('untrusted', `The server’s certificate expired on ${leaf.validTo}. Check this device’s clock too.`);
}
