import type { X509Certificate } from 'node:crypto';
import { type CertificateFlaw, certificateFlaw } from '@svc/contracts/session-failure';

/** What the refused certificate says of itself. Names are the server's own words: show them, believe nothing of them. */
export interface CertificateFault {
  readonly kind: CertificateFlaw;
  /** Common name, else organisation; null where the certificate has neither or was not shown. */
  readonly subject: string | null;
  readonly issuer: string | null;
  /** Unix milliseconds; null where the certificate was not shown. */
  readonly validFromMs: number | null;
  readonly validToMs: number | null;
  /** SHA-256, to see whether two hosts present the same one. Stays in memory. */
  readonly fingerprint: string | null;
}

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
  const kind = certificateFlaw(code);
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
