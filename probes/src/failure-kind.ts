import type { SessionPhase } from './session-failure.ts';

/** What failed in a session, coarse enough to say who can act. */
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
  /** This device's own rules forbid it. */
  'denied',
  /** Silence while connecting. */
  'no_answer',
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

const UNROUTABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL']);
const DENIED = new Set(['EACCES', 'EPERM']);
/** A peer that is gone shows as any of these, by system and moment. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

function connectKind(code: string): FailureKind {
  if (code === 'ECONNREFUSED') return 'refused';
  if (CLOSED.has(code)) return 'connect_reset';
  if (UNROUTABLE.has(code)) return 'unroutable';
  return DENIED.has(code) ? 'denied' : 'no_answer';
}

function proxyKind(code: string): FailureKind {
  if (code === 'PROXY_407') return 'proxy_authentication';
  if (code === 'PROXY_UNSUPPORTED') return 'proxy_unsupported';
  return code.startsWith('PROXY_') ? 'proxy_refused' : 'proxy_unreachable';
}

function answerKind(code: string): FailureKind {
  if (code === 'ETIMEDOUT') return 'stalled';
  if (code.startsWith('HTTP_')) return 'http_status';
  return CLOSED.has(code) ? 'http_closed' : 'http_invalid';
}

interface Failed {
  readonly phase: SessionPhase;
  readonly code: string;
  readonly viaProxy: boolean;
  readonly hasCertificateFault: boolean;
}

/** Pure. The one place where phases and codes become a kind. */
export function failureKindOf({ phase, code, viaProxy, hasCertificateFault }: Failed): FailureKind {
  if (hasCertificateFault) return 'certificate';
  switch (phase) {
    case 'dns':
      if (viaProxy) return 'proxy_unreachable';
      return code === 'ENOTFOUND' ? 'name_not_found' : 'name_unresolved';
    case 'connect':
      return viaProxy ? 'proxy_unreachable' : connectKind(code);
    case 'proxy':
      return proxyKind(code);
    case 'tls':
      if (code === 'ETIMEDOUT') return 'stalled';
      return CLOSED.has(code) ? 'tls_closed' : 'tls_failed';
    case 'redirect':
      return 'redirect';
    default:
      return answerKind(code);
  }
}

export const MEASURED_PHASES = ['dns', 'connect', 'tls', 'ttfb'] as const;
export type MeasuredPhase = (typeof MEASURED_PHASES)[number] | 'proxy' | 'rest';

interface PhaseTimes {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly proxyMs?: number | null;
  readonly tlsMs: number | null;
  readonly ttfbMs: number | null;
  readonly totalMs: number;
}

/**
 * Where a session spent most of its time; `rest` is the body, or the phase in which it failed. Null where no phase has half of it:
 * then the session is slow all over, as behind a long way.
 */
export function longestPhase(session: PhaseTimes): MeasuredPhase | null {
  const parts = MEASURED_PHASES.map((phase) => ({ phase: phase as MeasuredPhase, ms: session[`${phase}Ms`] ?? 0 }));
  // The tunnel is a part of connecting.
  const proxyMs = session.proxyMs ?? 0;
  for (const part of parts) if (part.phase === 'connect') part.ms -= proxyMs;
  parts.push({ phase: 'proxy', ms: proxyMs });
  const rest = session.totalMs - parts.reduce((sum, part) => sum + part.ms, 0);
  parts.push({ phase: 'rest', ms: Math.max(0, rest) });
  return parts.find((part) => part.ms > 0 && part.ms * 2 >= session.totalMs)?.phase ?? null;
}
