import type { X509Certificate } from 'node:crypto';

/** Why a server's certificate does not hold. `other`: any further reason, such as a revoked or unreadable one. */
export const CERTIFICATE_FAULTS = [
  'expired',
  'not_yet_valid',
  'other_name',
  'self_signed',
  'unknown_authority',
  'other',
] as const;

/** What the refused certificate says of itself. Names are the server's own words: show them, believe nothing of them. */
export interface CertificateFault {
  readonly kind: (typeof CERTIFICATE_FAULTS)[number];
  /** Common name, else organisation; null where the certificate has neither or was not shown. */
  readonly subject: string | null;
  readonly issuer: string | null;
  /** Unix milliseconds; null where the certificate was not shown. */
  readonly validFromMs: number | null;
  readonly validToMs: number | null;
  /** SHA-256, to see whether two hosts present the same one. Stays in memory. */
  readonly fingerprint: string | null;
}

/** Codes of OpenSSL's verification as Node names them. A chain that ends in a root nobody trusts is that of an unknown authority. */
const KINDS: Readonly<Record<string, CertificateFault['kind']>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_authority',
  CERT_UNTRUSTED: 'unknown_authority',
};

const MAX_NAME = 120;

/** Never empty, never long, nothing that a terminal would obey. */
function nameIn(distinguished: string): string | null {
  const part = (key: string): string | undefined =>
    distinguished
      .split('\n')
      .find((line) => line.startsWith(`${key}=`))
      ?.slice(key.length + 1);
  const name = (part('CN') ?? part('O') ?? '').replaceAll(/\p{C}/gu, '').trim();
  return name === '' ? null : name.slice(0, MAX_NAME);
}

export function describeCertificateFault(code: string, certificate: X509Certificate | undefined): CertificateFault {
  const kind = KINDS[code] ?? 'other';
  if (!certificate) return { kind, subject: null, issuer: null, validFromMs: null, validToMs: null, fingerprint: null };
  return {
    kind,
    subject: nameIn(certificate.subject),
    issuer: nameIn(certificate.issuer),
    validFromMs: certificate.validFromDate.getTime(),
    validToMs: certificate.validToDate.getTime(),
    fingerprint: certificate.fingerprint256,
  };
}
