/** What failed in a session, coarse enough to say who can act. Told by phase and code here alone; stays on the device. */
export const FAILURE_KINDS = [
  /** The name does not exist, as far as the resolver says. */
  'name_not_found',
  /** No resolver answered, or only with failures. */
  'name_unresolved',
  /** Nobody listens: the host itself, or a firewall in its name, said no. */
  'refused',
  /** Ended while connecting: rare, mostly a middlebox. */
  'connect_reset',
  /** This device or a router says that there is no way. */
  'unroutable',
  /** This device itself: its rules forbid it, or it has no address or port left for it. */
  'denied',
  /** Silence while connecting. */
  'no_answer',
  /** No connection, for any further reason. */
  'not_connected',
  'proxy_unreachable',
  'proxy_authentication',
  /** The proxy answered, yet not with a tunnel. */
  'proxy_refused',
  'proxy_unsupported',
  'certificate',
  /** Closed or reset by the other side inside of the handshake. */
  'tls_closed',
  /** Both sides could not agree, or what answered speaks no TLS. */
  'tls_failed',
  /** Closed or reset by the other side after the handshake. */
  'http_closed',
  /** What came back is no HTTP. */
  'http_invalid',
  /** 5xx. */
  'http_status',
  /** Connected, then silence: in the handshake, before the first byte or within the body. See `stall`. */
  'stalled',
  'redirect',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Where a session failed. */
export type SessionPhase = 'dns' | 'connect' | 'proxy' | 'tls' | 'request' | 'body' | 'redirect';

const UNROUTABLE = ['EHOSTUNREACH', 'ENETUNREACH'];
const SILENT = ['ETIMEDOUT', 'EHOSTDOWN'];
const DENIED = ['EACCES', 'EPERM', 'EADDRNOTAVAIL', 'EMFILE', 'ENETDOWN'];
/** A peer that is gone shows as any of these, by system and moment. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];
/** Errors of this device's own: a firewall on it, no address of that family, no more ports, or a scheme that was mistyped. */
const OWN = ['EACCES', 'EPERM', 'EADDRNOTAVAIL', 'EMFILE', 'ENETUNREACH', 'ERR_SSL_WRONG_VERSION_NUMBER'];

/** Whether this device itself may be the reason, whatever phase it shows in. */
export const isOfThisDevice = (code: string): boolean => OWN.includes(code);

/** Whether nobody said no: what was sent may have been lost on the way. */
export const isSilence = (code: string): boolean => SILENT.includes(code) || UNROUTABLE.includes(code);

/** Certificates that a service cannot mend: the device's clock is wrong, or does not know an authority of the company's. */
const CLOCK_CODES: readonly string[] = ['CERT_NOT_YET_VALID'];
const AUTHORITY_CODES: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
];
const NAME_CODES: readonly string[] = ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'];

/** `other`: any further reason, such as a revoked or unreadable one. */
export type CertificateFlaw = 'expired' | 'not_yet_valid' | 'authority' | 'name' | 'other';

/** What is wrong with a certificate, by the code with which TLS refused it: OpenSSL's verification as Node names it. */
export function certificateFlaw(code: string | null): CertificateFlaw {
  if (code === null) return 'other';
  if (code === 'CERT_HAS_EXPIRED') return 'expired';
  if (CLOCK_CODES.includes(code)) return 'not_yet_valid';
  if (AUTHORITY_CODES.includes(code)) return 'authority';
  return NAME_CODES.includes(code) ? 'name' : 'other';
}

export const isCertificateCode = (code: string): boolean =>
  certificateFlaw(code) !== 'other' || /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|(EE|CA)_(KEY|MD)_|INVALID_CA)/.test(code);

function connectKind(code: string): FailureKind {
  if (code === 'ECONNREFUSED') return 'refused';
  if (CLOSED.includes(code)) return 'connect_reset';
  if (UNROUTABLE.includes(code)) return 'unroutable';
  if (DENIED.includes(code)) return 'denied';
  return SILENT.includes(code) ? 'no_answer' : 'not_connected';
}

function proxyKind(code: string): FailureKind {
  if (code === 'PROXY_407') return 'proxy_authentication';
  if (code === 'PROXY_UNSUPPORTED') return 'proxy_unsupported';
  return code.startsWith('PROXY_') ? 'proxy_refused' : 'proxy_unreachable';
}

function answerKind(code: string): FailureKind {
  if (code.startsWith('HTTP_')) return 'http_status';
  return CLOSED.includes(code) ? 'http_closed' : 'http_invalid';
}

interface Failed {
  readonly phase: SessionPhase;
  readonly code: string;
  readonly viaProxy: boolean;
  /** TLS refused the certificate, whatever it called the reason. */
  readonly hasCertificateFault?: boolean;
}

/** Pure. The one place where phases and codes become a kind. */
export function failureKindOf({ phase, code, viaProxy, hasCertificateFault = false }: Failed): FailureKind {
  if (hasCertificateFault || isCertificateCode(code)) return 'certificate';
  switch (phase) {
    case 'dns':
      if (viaProxy) return 'proxy_unreachable';
      return code === 'ENOTFOUND' ? 'name_not_found' : 'name_unresolved';
    case 'connect':
      return viaProxy ? 'proxy_unreachable' : connectKind(code);
    case 'proxy':
      return proxyKind(code);
  }
  if (code === 'ETIMEDOUT') return 'stalled';
  if (phase === 'redirect') return 'redirect';
  if (phase === 'tls') return CLOSED.includes(code) ? 'tls_closed' : 'tls_failed';
  return answerKind(code);
}
