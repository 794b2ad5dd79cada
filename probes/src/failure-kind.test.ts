import { describe, expect, it } from 'vitest';
import { failureKindOf, longestPhase } from './failure-kind.ts';
import type { SessionPhase } from './session-failure.ts';

describe('what failed in a session', () => {
  it.each<[SessionPhase, string, string]>([
    ['dns', 'ENOTFOUND', 'name_not_found'],
    ['dns', 'EAI_AGAIN', 'name_unresolved'],
    ['dns', 'ETIMEDOUT', 'name_unresolved'],
    ['connect', 'ECONNREFUSED', 'refused'],
    ['connect', 'ECONNRESET', 'connect_reset'],
    ['connect', 'ETIMEDOUT', 'no_answer'],
    ['connect', 'EHOSTUNREACH', 'unroutable'],
    ['connect', 'EPERM', 'denied'],
    ['tls', 'ECONNRESET', 'tls_closed'],
    ['tls', 'ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
    ['tls', 'ETIMEDOUT', 'stalled'],
    ['request', 'ECONNRESET', 'http_closed'],
    ['request', 'HPE_INVALID_CONSTANT', 'http_invalid'],
    ['request', 'HTTP_503', 'http_status'],
    ['request', 'ETIMEDOUT', 'stalled'],
    ['body', 'ECONNRESET', 'http_closed'],
    ['body', 'ETIMEDOUT', 'stalled'],
    ['redirect', 'BAD_REDIRECT', 'redirect'],
  ])('is by phase and code: %s %s is %s', (phase, code, kind) => {
    expect(failureKindOf({ phase, code, viaProxy: false, hasCertificateFault: false })).toBe(kind);
  });

  it.each<[SessionPhase, string, string]>([
    ['dns', 'ENOTFOUND', 'proxy_unreachable'],
    ['connect', 'ECONNREFUSED', 'proxy_unreachable'],
    ['proxy', 'ETIMEDOUT', 'proxy_unreachable'],
    ['proxy', 'PROXY_407', 'proxy_authentication'],
    ['proxy', 'PROXY_503', 'proxy_refused'],
    ['proxy', 'PROXY_UNSUPPORTED', 'proxy_unsupported'],
    ['tls', 'ECONNRESET', 'tls_closed'],
  ])('is the proxy up to its tunnel: %s %s is %s', (phase, code, kind) => {
    expect(failureKindOf({ phase, code, viaProxy: true, hasCertificateFault: false })).toBe(kind);
  });

  it('is the certificate wherever one was refused', () => {
    expect(failureKindOf({ phase: 'tls', code: 'CERT_REVOKED', viaProxy: true, hasCertificateFault: true })).toBe('certificate');
  });
});

describe('the longest phase', () => {
  const times = (change: Partial<Parameters<typeof longestPhase>[0]>) =>
    longestPhase({ dnsMs: null, connectMs: null, tlsMs: null, ttfbMs: null, totalMs: 0, ...change });

  it('has at least half of the session', () => {
    expect(times({ dnsMs: 3000, connectMs: 20, tlsMs: 20, ttfbMs: 60, totalMs: 3110 })).toBe('dns');
    expect(times({ dnsMs: 5, connectMs: 20, tlsMs: 20, ttfbMs: 900, totalMs: 950 })).toBe('ttfb');
    expect(times({ dnsMs: 5, connectMs: 20, tlsMs: 20, ttfbMs: 30, totalMs: 950 })).toBe('rest');
  });

  it('is the proxy’s where opening the tunnel took it, and not counted twice', () => {
    expect(times({ connectMs: 820, proxyMs: 800, tlsMs: 20, ttfbMs: 60, totalMs: 900 })).toBe('proxy');
  });

  it('is none where a session is slow all over', () => {
    expect(times({ dnsMs: 300, connectMs: 300, tlsMs: 300, ttfbMs: 300, totalMs: 1210 })).toBeNull();
  });
});
